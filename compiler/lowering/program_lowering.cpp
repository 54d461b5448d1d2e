// tile -> rocdl: the kernel, its arguments and the walk over the program.

#include "compiler/lowering/program_lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace moec {

std::vector<KernelArgument> kernelArguments(tile::ProgramOp program) {
  std::vector<KernelArgument> arguments;
  for (auto [i, type] : llvm::enumerate(program.getArgumentTypes())) {
    auto add = [&](std::initializer_list<ArgumentRole> roles) {
      for (ArgumentRole role : roles)
        arguments.push_back({unsigned(i), role});
    };
    if (isa<moe::RowsType>(type))
      add({ArgumentRole::Rows});
    else if (isa<moe::ExpertsType>(type))
      add({ArgumentRole::Values, ArgumentRole::Scales});
    else
      add({ArgumentRole::SortedIds, ArgumentRole::ExpertIds, ArgumentRole::NumValid,
           ArgumentRole::RouterWeights, ArgumentRole::Tokens});
  }
  return arguments;
}

std::string unsupportedWeights(moe::ExpertsType type) {
  moe::QuantAttr format = type.getFormat();
  auto print = [](Type element) {
    std::string text;
    llvm::raw_string_ostream(text) << element;
    return text;
  };
  int64_t n = type.getChannels().value(), k = type.getDepth().value();
  if (!format.getElement().isSignlessInteger(4))
    return "weights of " + print(format.getElement()) +
           " are not supported yet; i4 is";
  if (!format.getScale().isBF16())
    return "scales of " + print(format.getScale()) +
           " are not supported by the kernel, which wants bf16";
  if (256 % format.getGroup())
    return "a group of " + std::to_string(format.getGroup()) +
           " is not supported; 32, 64, 128 and 256 are";
  if (k % 32 || n % 32)
    return "weights of " + std::to_string(n) + " channels of " + std::to_string(k) +
           " are not supported; both must be multiples of 32";
  if (n * k / 2 > INT32_MAX)
    return "the weights of one expert take " + std::to_string(n * k / 2) +
           " bytes; at most 2 GiB are supported";
  return "";
}

/// What a kernel argument is called in the code object's metadata.
static StringRef nameOf(KernelArgument argument) {
  switch (argument.role) {
  case ArgumentRole::Rows:
    return "rows";
  case ArgumentRole::Values:
    return "values";
  case ArgumentRole::Scales:
    return "scales";
  case ArgumentRole::SortedIds:
    return "sorted_ids";
  case ArgumentRole::ExpertIds:
    return "expert_ids";
  case ArgumentRole::NumValid:
    return "num_valid";
  case ArgumentRole::RouterWeights:
    return "router_weights";
  case ArgumentRole::Tokens:
    return "tokens";
  }
  return "";
}

ErrorCode tileToRocdl(tile::ProgramOp program, OpBuilder &builder) {
  // By name: those whose headers we do not include.
  for (StringRef name : {"amdgpu", "arith", "gpu", "llvm", "math", "rocdl", "scf", "vector"})
    program.getContext()->getOrLoadDialect(name);
  const Target *target = findTarget(program.getTarget());
  return ProgramLowering(program, *target, builder).run();
}

ErrorCode ProgramLowering::refuse(Operation *op, const Twine &what) {
  if (status == ErrorCode::Ok)
    op->emitError() << what;
  return status = ErrorCode::Unsupported;
}

ErrorCode ProgramLowering::run() {
  OpBuilder::InsertionGuard guard(builder);
  instruction = target.findMatrix("bf16", 16);
  if (!instruction)
    return refuse(program, Twine(std::string(target.name)) +
                               " has no bf16 matrix instruction of 16 rows");
  return createKernel();
}

//===----------------------------------------------------------------------===//
// The kernel and its arguments
//===----------------------------------------------------------------------===//

ErrorCode ProgramLowering::createKernel() {
  Location loc = program.getLoc();
  auto module = gpu::GPUModuleOp::create(builder, loc, program.getSymName());
  builder.setInsertionPointToStart(module.getBody());
  createLds();

  SmallVector<Type> types;
  for (KernelArgument argument : kernelArguments(program))
    types.push_back(argument.role == ArgumentRole::Tokens ? lane.i32Type()
                                                          : lane.pointer(1));
  auto kernel = gpu::GPUFuncOp::create(builder, loc, program.getSymName(),
                                       builder.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      builder.getDenseI32ArrayAttr({int32_t(threads()), 1, 1}));
  SmallVector<StringRef> names;
  for (KernelArgument argument : kernelArguments(program))
    names.push_back(nameOf(argument));
  kernel->setAttr("arg_names", builder.getStrArrayAttr(names));
  // Outputs never alias inputs, so that loads of ids may be scalar and move.
  for (auto [i, type] : llvm::enumerate(types))
    if (isa<LLVM::LLVMPointerType>(type))
      kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        builder.getUnitAttr());
  builder.setInsertionPointToStart(&kernel.getBody().front());
  bindArguments(kernel.getBody().front());
  if (status != ErrorCode::Ok)
    return status;
  lowerBody(program.getBody().front());
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  gpu::ReturnOp::create(builder, loc);
  return status;
}

/// One LDS global for each tile.alloc, so that LLVM can tell them apart.
void ProgramLowering::createLds() {
  int64_t count = 0, bytes = 0;
  program.walk([&](tile::AllocOp alloc) {
    tile::LdsType type = alloc.getResult().getType();
    bytes += type.getBuffers() * type.getTileBytes();
    auto array = LLVM::LLVMArrayType::get(builder.getI8Type(),
                                          type.getBuffers() * type.getTileBytes());
    auto global = LLVM::GlobalOp::create(
        builder, alloc.getLoc(), array, /*isConstant=*/false,
        LLVM::Linkage::Internal, ("lds" + Twine(count++)).str(), Attribute(),
        /*alignment=*/1024, /*addrSpace=*/3);
    alloc->setAttr("lds", SymbolRefAttr::get(global));
  });
  if (bytes > target.ldsBytes)
    refuse(program, "needs " + Twine(bytes) + " bytes of LDS, " +
                        std::string(target.name) + " has " + Twine(target.ldsBytes));
}

void ProgramLowering::bindArguments(Block &entry) {
  ArrayRef<BlockArgument> arguments = entry.getArguments();
  unsigned next = 0;
  for (BlockArgument argument : program.getBody().getArguments()) {
    if (auto type = dyn_cast<moe::RowsType>(argument.getType())) {
      RowsOperand &operand = rows[argument];
      operand.type = type;
      if (!type.getElement().isBF16() && !type.getElement().isF32())
        refuse(program, "rows must be bf16 or f32");
      operand.pointer = arguments[next++];
      operand.rowBytes = type.getCols().value() *
                         type.getElement().getIntOrFloatBitWidth() / 8;
    } else if (auto type = dyn_cast<moe::ExpertsType>(argument.getType())) {
      WeightsOperand &operand = weights[argument];
      operand.type = type;
      operand.values = arguments[next++];
      operand.scales = arguments[next++];
      int64_t n = type.getChannels().value(), k = type.getDepth().value();
      operand.valueBytes = n * k / 2;
      operand.scaleBytes = n * tile::groupCount(k, type.getFormat().getGroup()) * 2;
      if (std::string why = unsupportedWeights(type); !why.empty())
        refuse(program, why);
    } else {
      RoutingOperand &operand = routings[argument];
      operand.type = cast<moe::RoutingType>(argument.getType());
      operand.sortedIds = arguments[next++];
      operand.expertIds = arguments[next++];
      operand.numValid = arguments[next++];
      operand.routerWeights = arguments[next++];
      operand.tokens = arguments[next++];
      routing = &operand;
    }
  }
  if (routings.size() != 1) {
    refuse(program, "a program needs exactly one !moe.routing argument, found " +
                        Twine(routings.size()));
    return;
  }
  auto tid = gpu::ThreadIdOp::create(builder, program.getLoc(), gpu::Dimension::x);
  thread = arith::IndexCastOp::create(builder, program.getLoc(), lane.i32Type(), tid);
  laneId = lane.bitAnd(thread, lane.i32(target.waveLanes - 1));
  channel = lane.bitAnd(laneId, lane.i32(15));
  quarter = lane.shr(laneId, 4);
  for (auto &[argument, operand] : rows) {
    int64_t slots = operand.type.getSpace() == moe::RowSpace::pair
                        ? routing->type.getSlots().value()
                        : 1;
    Value bytes = arith::MulIOp::create(builder, program.getLoc(),
                                        lane.widen(routing->tokens),
                                        lane.i64(slots * operand.rowBytes));
    operand.buffer = lane.buffer(operand.pointer, bytes);
  }
  // A stored int4 value u = q + 8 becomes the bf16 number 16 + u; see weights.cpp.
  weightMask = lane.opaqueScalar(0x00780078);
  weightMagic = lane.opaqueVector(0x41804180);
  weightOffset = lane.opaqueVector(0xC1C0C1C0);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void ProgramLowering::lowerBody(Block &block) {
  for (Operation &op : block) {
    if (status != ErrorCode::Ok)
      return;
    lane.setLocation(op.getLoc());
    lower(op);
  }
}

void ProgramLowering::lower(Operation &op) {
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](tile::RowsOp o) { lowerRows(o); })
      .Case([&](tile::FetchOp o) { lowerFetch(o); })
      .Case([&](tile::PutOp o) { lowerPut(o); })
      .Case([&](tile::ReadOp o) { lowerRead(o); })
      .Case([&](tile::RouterWeightOp o) { lowerRouterWeight(o); })
      .Case([&](tile::MapOp o) { lowerMap(o); })
      .Case([&](tile::StoreOp o) { lowerStore(o); })
      .Case([&](tile::LoadOp o) { lowerLoad(o); })
      .Case([&](tile::LoadScaleOp o) { lowerLoadScale(o); })
      .Case([&](tile::OffsetOp o) { lowerOffset(o); })
      .Case([&](tile::MmaOp o) { lowerMma(o); })
      .Case([&](tile::BarrierOp) { lane.barrier(); })
      .Case([&](tile::IssueOp) { lane.schedulingFence(); })
      .Case([&](tile::ReturnOp) {})
      .Case([&](tile::BlockIdOp o) {
        auto dimension = o.getAxis() == tile::Axis::n ? gpu::Dimension::x
                                                      : gpu::Dimension::y;
        Value id = gpu::BlockIdOp::create(builder, o.getLoc(), dimension);
        values[o] = {arith::IndexCastOp::create(builder, o.getLoc(),
                                                lane.i32Type(), id)};
      })
      .Case([&](tile::WaveIdOp o) {
        values[o] = {lane.uniform(lane.divu(thread, target.waveLanes))};
      })
      .Case([&](tile::AllocOp o) {
        values[o] = {LLVM::AddressOfOp::create(
            builder, o.getLoc(), lane.pointer(3),
            cast<FlatSymbolRefAttr>(o->getAttr("lds")))};
        o->removeAttr("lds");
      })
      .Case([&](tile::ZeroOp o) { values[o] = {lane.zeros(4)}; })
      .Default([&](Operation *o) {
        if (isa<scf::ForOp>(o))
          lowerFor(*o);
        else
          lowerIndexOp(*o);
      });
}

/// Everything after this operation runs only in blocks that have rows.
void ProgramLowering::lowerRows(tile::RowsOp op) {
  firstRow = lane.mul(scalar(op.getBlock()), lane.i32(16));
  Value valid = lane.load(lane.i32Type(), routing->numValid, 4);
  auto guard = scf::IfOp::create(builder, op.getLoc(), lane.less(firstRow, valid),
                                 /*withElseRegion=*/false);
  builder.setInsertionPointToStart(guard.thenBlock());

  Value expert = lane.uniform(lane.load(
      lane.i32Type(),
      lane.byteOffset(routing->expertIds, lane.shl(scalar(op.getBlock()), 2)), 4));
  values[op.getExpert()] = {expert};
  values[op.getRows()] = {firstRow};
  for (auto &[argument, operand] : weights) {
    auto start = [&](Value pointer, int64_t bytes) {
      Value offset = arith::MulIOp::create(builder, op.getLoc(), lane.widen(expert),
                                           lane.i64(bytes));
      return lane.buffer(lane.byteOffset(pointer, offset), lane.i64(bytes));
    };
    operand.valueBuffer = start(operand.values, operand.valueBytes);
    operand.scaleBuffer = start(operand.scales, operand.scaleBytes);
  }
  // Ids of the rows that this lane stores: 4g..4g+3.
  Value mine = lane.add(firstRow, lane.shl(quarter, 2));
  Value ids = lane.load(lane.vector(4, lane.i32Type()),
                        lane.byteOffset(routing->sortedIds, lane.shl(mine, 2)), 16);
  for (int64_t r = 0; r < 4; ++r)
    resultIds.push_back(lane.extract(ids, r));
  program.walk([&](tile::FetchOp fetch) {
    prepareStaging(fetch.getResult().getType().getCols());
  });
}

Value ProgramLowering::guarded(Value inside, Value lanes) {
  return lane.select(inside, lanes, lane.i32(kOutside));
}

SmallVector<Type> ProgramLowering::loweredTypes(Type type) {
  auto frag = dyn_cast<tile::FragType>(type);
  if (!frag)
    return {lane.i32Type()}; // index
  int64_t steps = frag.getCols() / 32;
  switch (frag.getRole()) {
  case tile::Role::acc:
    return {lane.vector(4, lane.f32Type())};
  case tile::Role::offset:
    return SmallVector<Type>(frag.getCols(), lane.vector(4, lane.f32Type()));
  case tile::Role::a:
    return SmallVector<Type>(steps, lane.vector(4, lane.i32Type()));
  case tile::Role::b: {
    SmallVector<Type> types(steps / 4, lane.vector(4, lane.i32Type()));
    if (steps % 4)
      types.push_back(lane.vector(steps % 4, lane.i32Type()));
    return types;
  }
  case tile::Role::scale:
    return SmallVector<Type>((frag.getCols() + 1) / 2, lane.i32Type());
  case tile::Role::staged: {
    int64_t chunks = frag.getRows() * frag.getCols() / 8;
    return SmallVector<Type>((chunks + threads() - 1) / threads(),
                             lane.vector(4, lane.i32Type()));
  }
  }
  return {};
}

void ProgramLowering::lowerFor(Operation &op) {
  auto loop = cast<scf::ForOp>(op);
  auto step = loop.getStep().getDefiningOp<arith::ConstantIndexOp>();
  if (!step || step.value() <= 0) {
    refuse(&op, "the step of a loop must be a positive constant");
    return;
  }
  Values inits;
  SmallVector<size_t> counts;
  for (Value init : loop.getInitArgs()) {
    const Values &parts = values.lookup(init);
    counts.push_back(parts.size());
    llvm::append_range(inits, parts);
  }
  auto lowered = scf::ForOp::create(builder, op.getLoc(),
                                    scalar(loop.getLowerBound()),
                                    scalar(loop.getUpperBound()),
                                    scalar(loop.getStep()), inits);
  auto deal = [&](ValueRange from, ValueRange to) {
    for (auto [count, value] : llvm::zip(counts, to)) {
      values[value] = Values(from.take_front(count));
      from = from.drop_front(count);
    }
  };
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(lowered.getBody());
    values[loop.getInductionVar()] = {lowered.getInductionVar()};
    deal(lowered.getRegionIterArgs(), loop.getRegionIterArgs());
    for (Operation &inner : loop.getBody()->without_terminator()) {
      if (status != ErrorCode::Ok)
        return;
      lane.setLocation(inner.getLoc());
      lower(inner);
    }
    Values results;
    for (Value value : loop.getBody()->getTerminator()->getOperands())
      llvm::append_range(results, values.lookup(value));
    scf::YieldOp::create(builder, op.getLoc(), results);
  }
  deal(lowered.getResults(), loop.getResults());
}

/// Index arithmetic becomes 32-bit arithmetic of the same name.
void ProgramLowering::lowerIndexOp(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantIndexOp>(op)) {
    if (!llvm::isInt<32>(constant.value())) {
      refuse(&op, "an index of a tile.program has 32 bits, found " +
                      Twine(constant.value()));
      return;
    }
    values[constant] = {lane.i32(constant.value())};
    return;
  }
  bool known = op.getName().getDialectNamespace() == "arith" &&
               op.getNumResults() == 1 && op.getNumRegions() == 0 &&
               (op.getResult(0).getType().isIndex() ||
                op.getResult(0).getType().isInteger(1));
  for (Value operand : op.getOperands())
    known &= values.contains(operand);
  if (!known) {
    refuse(&op, "`" + op.getName().getStringRef() +
                    "` is not allowed in a tile.program; use tile operations, "
                    "scf.for and arith on index");
    return;
  }
  Values operands;
  for (Value operand : op.getOperands())
    operands.push_back(scalar(operand));
  Type type = op.getResult(0).getType();
  Operation *lowered = lane.op(op.getName().getStringRef(),
                               type.isIndex() ? lane.i32Type() : type, operands,
                               op.getAttrs());
  values[op.getResult(0)] = {lowered->getResult(0)};
}

} // namespace moec
