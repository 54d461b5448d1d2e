// stage -> tile: applies a schedule to a bound stage.

#include "compiler/transforms/stage_to_tile.h"

#include "compiler/lowering/tile_to_rocdl.h"
#include "compiler/schedule/schedule.h"
#include "compiler/transforms/expand_scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace moec {

namespace {

using tile::kTile;

/// Loads of one step along K that are on their way.
struct Step {
  int64_t cols = 0;
  Value staged;              ///< Activations, not yet in LDS.
  SmallVector<Value> weights; ///< [projection][tile of channels]
  SmallVector<Value> scales;
};

/// Steps in flight; step i is in place i % size.
using Ring = SmallVector<Step>;

/// Emits the program of one stage.
class ProgramBuilder {
public:
  ProgramBuilder(moe::StageOp stage, tile::ScheduleAttr schedule,
                 const Target &target, OpBuilder &builder)
      : stage(stage), contract(stage.getContract()), schedule(schedule),
        target(target), shape(StageShape::of(stage)),
        blockK(schedule.getBlockK()), b(builder), loc(contract.getLoc()),
        context(builder.getContext()) {}

  tile::ProgramOp build() {
    OpBuilder::InsertionGuard guard(b);
    tile::ProgramOp program = createProgram();
    emitPlace();
    SmallVector<Value> accs = emitContraction();
    emitEpilogue(accs);
    tile::ReturnOp::create(b, loc);
    return program;
  }

private:
  int64_t tilesPerWave() const {
    return schedule.getBlockN() / (kTile * schedule.getWaves());
  }

  /// A constant, once at the top of the program.
  Value index(int64_t value) {
    Value &constant = constants[value];
    if (!constant) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(out.getParentBlock());
      constant = arith::ConstantIndexOp::create(b, loc, value);
    }
    return constant;
  }

  Type frag(int64_t rows, int64_t cols, Type element, tile::Role role) {
    return tile::FragType::get(context, rows, cols, element, role);
  }

  Type accType() { return frag(kTile, kTile, b.getF32Type(), tile::Role::acc); }

  tile::ProgramOp createProgram() {
    moe::RowsType result = stage.getResultRows();
    Type element = result.getSpace() == moe::RowSpace::token
                       ? Type(b.getF32Type())
                       : result.getElement();
    SmallVector<Type> types(stage.getArgumentTypes());
    types.push_back(moe::RowsType::get(context, moe::RowSpace::pair,
                                       result.getCols(), element));
    auto program = tile::ProgramOp::create(
        b, stage.getLoc(), stage.getSymNameAttr(),
        TypeAttr::get(b.getFunctionType(types, {})), ArrayAttr(), ArrayAttr(),
        b.getStringAttr(target.name), schedule);
    Block &body = program.getBody().emplaceBlock();
    body.addArguments(types, SmallVector<Location>(types.size(), stage.getLoc()));
    for (auto [from, to] : llvm::zip(stage.getBody().getArguments(), body.getArguments()))
      operands.map(from, to);
    x = operands.lookup(contract.getX());
    weights = operands.lookup(contract.getWeights());
    routing = operands.lookup(contract.getRouting());
    out = body.getArguments().back();
    b.setInsertionPointToStart(&body);
    return program;
  }

  /// Where this block and wave work.
  void emitPlace() {
    Value mb = tile::BlockIdOp::create(b, loc, b.getIndexType(), tile::Axis::m);
    auto place = tile::RowsOp::create(b, loc, tile::BlockRowsType::get(context),
                                      b.getIndexType(), routing, mb);
    rows = place.getRows();
    expert = place.getExpert();
    Value nb = tile::BlockIdOp::create(b, loc, b.getIndexType(), tile::Axis::n);
    Value wave = tile::WaveIdOp::create(b, loc, b.getIndexType());
    Value block = arith::MulIOp::create(b, loc, nb, index(schedule.getWaves()));
    Value unit = arith::AddIOp::create(b, loc, block, wave);
    Value first = b.createOrFold<arith::MulIOp>(loc, unit, index(tilesPerWave()));
    for (int64_t i = 0; i < tilesPerWave(); ++i)
      tiles.push_back(i ? arith::AddIOp::create(b, loc, first, index(i)) : first);
    lds = tile::AllocOp::create(
        b, loc,
        tile::LdsType::get(context, 2, kTile,
                           std::min(schedule.getBlockK(), shape.depth),
                           contract.getX().getType().getElement()));
  }

  /// Starts the loads of `cols` columns from `k` on.
  Step issue(Value k, int64_t cols) {
    moe::QuantAttr format = contract.getWeights().getType().getFormat();
    Type element = contract.getX().getType().getElement();
    Step step;
    step.cols = cols;
    step.staged = tile::FetchOp::create(
        b, loc, frag(kTile, cols, element, tile::Role::staged), x, rows, k);
    Type weightType = frag(kTile, cols, format.getElement(), tile::Role::b);
    Type scaleType = frag(kTile, tile::groupCount(cols, shape.group),
                          format.getScale(), tile::Role::scale);
    for (int64_t p = 0; p < shape.projections; ++p) {
      for (Value n : tiles) {
        step.weights.push_back(tile::LoadOp::create(b, loc, weightType, weights,
                                                    expert, p, n, k));
        step.scales.push_back(tile::LoadScaleOp::create(b, loc, scaleType, weights,
                                                        expert, p, n, k));
      }
    }
    return step;
  }

  void put(const Step &step, Value slot) {
    tile::PutOp::create(b, loc, step.staged, lds, slot);
    tile::BarrierOp::create(b, loc);
  }

  /// One step's arithmetic on the buffer `slot`.
  SmallVector<Value> compute(const Step &step, Value slot, ArrayRef<Value> accs) {
    Type element = contract.getX().getType().getElement();
    Value a = tile::ReadOp::create(
        b, loc, frag(kTile, step.cols, element, tile::Role::a), lds, slot);
    int64_t groups = tile::groupCount(step.cols, shape.group);
    Value offset = tile::OffsetOp::create(
        b, loc, frag(kTile, groups, b.getF32Type(), tile::Role::offset), a,
        shape.group);
    SmallVector<Value> next;
    for (auto [weight, scale, acc] : llvm::zip(step.weights, step.scales, accs))
      next.push_back(tile::MmaOp::create(b, loc, accType(), a, weight, acc, scale,
                                         offset, shape.group));
    return next;
  }

  /// Step i on buffer i % 2; the registers it frees take the loads of the
  /// step at `next` (none when null), then step i + 1 moves to LDS.
  void emitStep(int64_t i, Ring &ring, SmallVector<Value> &accs, Value next,
                Step *following) {
    Step &step = ring[i % ring.size()];
    accs = compute(step, index(i % 2), accs);
    if (next) {
      tile::IssueOp::create(b, loc);
      step = issue(next, blockK);
      tile::IssueOp::create(b, loc);
    }
    if (following)
      put(*following, index((i + 1) % 2));
  }

  /// Whole steps of block_k columns in trips of `prefetch` steps, then what is
  /// left of them, then a shorter step. The last trip loads steps past the end,
  /// which costs no memory access; a copy of its code without them would cost
  /// as much to compile as the loop.
  SmallVector<Value> emitContraction() {
    int64_t depth = schedule.getPrefetch();
    int64_t whole = shape.depth / blockK, rest = shape.depth % blockK;
    SmallVector<Value> accs(shape.projections * tilesPerWave());
    for (Value &acc : accs)
      acc = tile::ZeroOp::create(b, loc, accType());
    Ring ring;
    for (int64_t i = 0; i < std::min(depth, whole); ++i)
      ring.push_back(issue(index(i * blockK), blockK));
    Step last;
    if (rest && whole < depth)
      last = issue(index(whole * blockK), rest);
    tile::IssueOp::create(b, loc);
    put(whole ? ring[0] : last, index(0));

    int64_t trips = whole / depth;
    if (trips)
      emitLoop(ring, accs, trips);
    if (rest && whole >= depth) {
      last = issue(index(whole * blockK), rest);
      if (trips * depth == whole)
        put(last, index(whole % 2));
    }
    for (int64_t i = trips * depth; i < whole; ++i) {
      Step *following = i + 1 < whole ? &ring[(i + 1) % depth] : rest ? &last : nullptr;
      emitStep(i, ring, accs, Value(), following);
    }
    if (rest)
      accs = compute(last, index(whole % 2), accs);
    return accs;
  }

  void emitLoop(Ring &ring, SmallVector<Value> &accs, int64_t trips) {
    // The first step's activations are in LDS when a trip begins.
    auto pack = [&] {
      SmallVector<Value> carried(accs);
      for (auto [i, step] : llvm::enumerate(ring)) {
        if (i)
          carried.push_back(step.staged);
        llvm::append_range(carried, step.weights);
        llvm::append_range(carried, step.scales);
      }
      return carried;
    };
    auto unpack = [&](ValueRange values) {
      auto take = [&](auto &into) {
        for (Value &value : into) {
          value = values.front();
          values = values.drop_front();
        }
      };
      take(accs);
      for (auto [i, step] : llvm::enumerate(ring)) {
        if (i) {
          step.staged = values.front();
          values = values.drop_front();
        }
        take(step.weights);
        take(step.scales);
      }
    };
    int64_t depth = ring.size();
    auto loop = scf::ForOp::create(b, loc, index(0), index(trips * depth * blockK),
                                   index(depth * blockK), pack());
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      unpack(loop.getRegionIterArgs());
      for (int64_t i = 0; i < depth; ++i) {
        Value k = arith::AddIOp::create(b, loc, loop.getInductionVar(),
                                        index((i + depth) * blockK));
        emitStep(i, ring, accs, k, &ring[(i + 1) % depth]);
      }
      scf::YieldOp::create(b, loc, pack());
    }
    unpack(loop.getResults());
  }

  /// The stage's own arithmetic and the store, for each tile of channels.
  void emitEpilogue(ArrayRef<Value> accs) {
    SmallVector<moe::RouterWeightOp> routerWeights(
        stage.getBody().front().getOps<moe::RouterWeightOp>());
    Value routerWeight;
    if (!routerWeights.empty())
      routerWeight = tile::RouterWeightOp::create(b, loc, accType(), rows);
    for (auto [i, n] : llvm::enumerate(tiles)) {
      SmallVector<Value> inputs;
      for (int64_t p = 0; p < shape.projections; ++p)
        inputs.push_back(accs[p * tiles.size() + i]);
      if (routerWeight)
        inputs.push_back(routerWeight);
      Value y = emitMap(inputs);
      tile::StoreOp::create(b, loc, y, out, rows, n);
    }
  }

  Value emitMap(ArrayRef<Value> inputs) {
    auto map = tile::MapOp::create(b, loc, accType(), inputs);
    Block &body = map.getBody().emplaceBlock();
    for (size_t i = 0; i < inputs.size(); ++i)
      body.addArgument(b.getF32Type(), loc);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&body);
    IRMapping mapping;
    for (auto [i, result] : llvm::enumerate(contract.getResults()))
      mapping.map(result, body.getArgument(i));
    for (Operation &op : stage.getBody().front()) {
      if (isa<moe::ContractOp>(op))
        continue;
      if (auto weight = dyn_cast<moe::RouterWeightOp>(op))
        mapping.map(weight.getResult(), body.getArguments().back());
      else if (auto yield = dyn_cast<moe::YieldOp>(op))
        tile::YieldOp::create(b, yield.getLoc(), mapping.lookup(yield.getValue()));
      else
        cloneScalar(b, op, mapping);
    }
    return map.getResult();
  }

  moe::StageOp stage;
  moe::ContractOp contract;
  tile::ScheduleAttr schedule;
  const Target &target;
  StageShape shape;
  int64_t blockK;
  OpBuilder &b;
  Location loc;
  MLIRContext *context;

  IRMapping operands;
  Value x, weights, routing, out, rows, expert, lds;
  SmallVector<Value> tiles; ///< Tiles of channels of this wave.
  llvm::DenseMap<int64_t, Value> constants;
};

/// What this family of schedules can compute.
ErrorCode checkStage(moe::StageOp stage) {
  auto refuse = [&](const Twine &what) {
    stage.emitError() << "stage @" << stage.getSymName() << ": " << what;
    return ErrorCode::Unsupported;
  };
  moe::ContractOp contract = stage.getContract();
  if (std::string why = unsupportedWeights(contract.getWeights().getType());
      !why.empty())
    return refuse(why);
  if (!contract.getX().getType().getElement().isBF16())
    return refuse("activations must be bf16");
  if (stage.getResultRows().getCols().value() % 32)
    return refuse(Twine(stage.getResultRows().getCols().value()) +
                  " output channels are not supported; they must be a multiple of 32");
  if (!stage.getResultRows().getElement().isBF16())
    return refuse("results must be bf16");
  return ErrorCode::Ok;
}

} // namespace

ErrorCode stageToTile(moe::StageOp stage, tile::ScheduleAttr schedule,
                      const Target &target, OpBuilder &builder,
                      tile::ProgramOp &program) {
  stage.getContext()->loadDialect<tile::TileDialect, arith::ArithDialect,
                                  math::MathDialect, scf::SCFDialect>();
  if (ErrorCode code = checkStage(stage); code != ErrorCode::Ok)
    return code;
  if (ErrorCode code = checkSchedule(stage, schedule, target); code != ErrorCode::Ok)
    return code;
  program = ProgramBuilder(stage, schedule, target, builder).build();
  return ErrorCode::Ok;
}

} // namespace moec
