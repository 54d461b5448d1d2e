// Operations of the `tile` dialect: verification and custom syntax.

#include "dialects/tile/Tile.h"
#include "dialects/target/target.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::moe;

#include "dialects/tile/TileDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.cpp.inc"

void TileDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/tile/TileOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ProgramOp
//===----------------------------------------------------------------------===//

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void ProgramOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

static bool isBound(Type type) {
  if (auto rows = dyn_cast<RowsType>(type))
    return rows.getCols().isBound();
  if (auto experts = dyn_cast<ExpertsType>(type))
    return experts.getExperts().isBound() && experts.getChannels().isBound() &&
           experts.getDepth().isBound() && experts.getFormat().getGroup();
  if (auto routing = dyn_cast<RoutingType>(type))
    return routing.getSlots().isBound() && routing.getExperts().isBound();
  return false;
}

std::string mlir::tile::scheduleProblem(ScheduleAttr schedule) {
  constexpr int64_t kMost = 1 << 20; // Products of fields stay in 64 bits.
  int64_t waves = schedule.getWaves(), blockN = schedule.getBlockN(),
          blockK = schedule.getBlockK();
  auto is = [](StringRef field, int64_t value, const Twine &must) {
    return (field + " is " + Twine(value) + ", must be " + must).str();
  };
  if (waves < 1 || waves > 8 || (waves & (waves - 1)))
    return is("waves", waves, "1, 2, 4 or 8");
  if (schedule.getBlockM() != kTile)
    return is("block_m", schedule.getBlockM(),
              "16, the rows of the matrix instruction");
  if (blockN < 1 || blockN > kMost || blockN % (kTile * waves))
    return is("block_n", blockN, "a multiple of 16 * waves = " + Twine(kTile * waves));
  if (blockK < 1 || blockK > kMost || blockK % 256)
    return is("block_k", blockK,
              "a multiple of 256, the k of a block of scales");
  if (schedule.getPrefetch() != 2 && schedule.getPrefetch() != 4)
    return is("prefetch", schedule.getPrefetch(), "2 or 4");
  return "";
}

LogicalResult ProgramOp::verify() {
  if (!moec::findTarget(getTarget()))
    return emitOpError("(program-target) has unknown target \"")
           << getTarget() << "\"; known: " << moec::targetNames();
  if (std::string problem = scheduleProblem(getSchedule()); !problem.empty())
    return emitOpError("(program-schedule) ") << problem;
  for (auto [i, type] : llvm::enumerate(getArgumentTypes()))
    if (!isBound(type))
      return emitOpError("(program-arguments) argument ")
             << i << " must be !moe.rows, !moe.experts or !moe.routing with all "
             << "sizes bound, found " << type;
  if (!getResultTypes().empty())
    return emitOpError("(program-arguments) has no results; the output is an argument");
  return success();
}

//===----------------------------------------------------------------------===//
// Memory operations
//===----------------------------------------------------------------------===//

LogicalResult RowsOp::verify() {
  if (!isa<ProgramOp>((*this)->getParentOp()))
    return emitOpError("(rows-top) must stand directly in the body of a "
                       "tile.program: blocks leave the program here");
  auto all = (*this)->getBlock()->getOps<RowsOp>();
  if (std::next(all.begin()) != all.end() && *all.begin() != *this)
    return emitOpError("(rows-top) must stand once in a program");
  return success();
}

LogicalResult FetchOp::verify() {
  FragType frag = getResult().getType();
  if (frag.getRole() != Role::staged ||
      frag.getElement() != getSource().getType().getElement())
    return emitOpError("(fetch-role) must give a staged fragment of ")
           << getSource().getType().getElement() << ", found " << frag;
  if (frag.getCols() % 32)
    return emitOpError("(fetch-step) must fetch a multiple of 32 columns, found ")
           << frag.getCols();
  return success();
}

/// Whether `frag` has `role`, the element of `lds` and fits one of its tiles.
static bool fits(FragType frag, LdsType lds, Role role) {
  return frag.getRole() == role && frag.getElement() == lds.getElement() &&
         frag.getRows() == lds.getRows() && frag.getCols() <= lds.getCols();
}

LogicalResult PutOp::verify() {
  if (!fits(getValue().getType(), getBuffer().getType(), Role::staged))
    return emitOpError("(put-fit) cannot put ")
           << getValue().getType() << " into a buffer of " << getBuffer().getType();
  return success();
}

LogicalResult ReadOp::verify() {
  if (!fits(getResult().getType(), getBuffer().getType(), Role::a))
    return emitOpError("(read-fit) cannot read ")
           << getResult().getType() << " from a buffer of " << getBuffer().getType();
  return success();
}

template <typename OpTy>
static LogicalResult verifyPlace(OpTy op) {
  if (!op.getExpert().template getDefiningOp<RowsOp>())
    return op.emitOpError("(load-expert) the expert must be that of the "
                          "program's tile.rows");
  auto program = op->template getParentOfType<ProgramOp>();
  auto out = program && !program.getArgumentTypes().empty()
                 ? dyn_cast<RowsType>(program.getArgumentTypes().back())
                 : RowsType();
  if (!out)
    return op.emitOpError("(load-projection) needs a program whose last "
                          "argument is its output rows");
  int64_t count = op.getSource().getType().getChannels().value() / out.getCols().value();
  int64_t projection = op.getProjection();
  if (projection < 0 || projection >= count)
    return op.emitOpError("(load-projection) projection ")
           << projection << " does not exist; the weights hold " << count;
  return success();
}

LogicalResult LoadOp::verify() {
  FragType frag = getResult().getType();
  QuantAttr format = getSource().getType().getFormat();
  if (frag.getRole() != Role::b || frag.getRows() != 16 ||
      frag.getElement() != format.getElement())
    return emitOpError("(load-role) must give a b fragment of 16 channels of ")
           << format.getElement() << ", found " << frag;
  if (frag.getCols() % 32)
    return emitOpError("(load-step) must load a multiple of 32 columns, found ")
           << frag.getCols();
  return verifyPlace(*this);
}

LogicalResult LoadScaleOp::verify() {
  FragType frag = getResult().getType();
  QuantAttr format = getSource().getType().getFormat();
  if (frag.getRole() != Role::scale || frag.getRows() != 16 ||
      frag.getElement() != format.getScale())
    return emitOpError("(scale-role) must give a scale fragment of 16 channels of ")
           << format.getScale() << ", found " << frag;
  return verifyPlace(*this);
}

LogicalResult StoreOp::verify() {
  if (getValue().getType().getRole() != Role::acc)
    return emitOpError("(store-role) must store an acc fragment, found ")
           << getValue().getType();
  RowsType dest = getDest().getType();
  if (dest.getSpace() != RowSpace::pair ||
      !(dest.getElement().isBF16() || dest.getElement().isF32()))
    return emitOpError("(store-element) stores to rows of bf16 or f32, one a "
                       "pair; found ")
           << dest;
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

LogicalResult OffsetOp::verify() {
  FragType a = getA().getType(), result = getResult().getType();
  if (getGroup() < 32 || result.getRole() != Role::offset ||
      result.getCols() != groupCount(a.getCols(), getGroup()))
    return emitOpError("(offset-groups) must give an offset fragment with ")
           << groupCount(a.getCols(), std::max<int64_t>(getGroup(), 32))
           << " columns for groups of " << getGroup() << ", found " << result;
  return success();
}

LogicalResult MmaOp::verify() {
  FragType a = getA().getType(), b = getB().getType();
  if (a.getRole() != Role::a || b.getRole() != Role::b ||
      getAcc().getType().getRole() != Role::acc ||
      getScale().getType().getRole() != Role::scale ||
      getOffset().getType().getRole() != Role::offset)
    return emitOpError("(mma-roles) takes fragments of roles a, b, acc, scale "
                       "and offset, in this order");
  if (a.getCols() != b.getCols())
    return emitOpError("(mma-depth) contracts ")
           << a.getCols() << " columns of a with " << b.getCols() << " of b";
  int64_t groups = getGroup() < 32 ? 0 : groupCount(a.getCols(), getGroup());
  if (getScale().getType().getCols() != groups ||
      getOffset().getType().getCols() != groups)
    return emitOpError("(mma-groups) needs ")
           << groups << " columns of scales and offsets for groups of "
           << getGroup() << ", found " << getScale().getType().getCols()
           << " and " << getOffset().getType().getCols();
  return success();
}

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  FunctionType type;
  SMLoc loc = parser.getCurrentLocation();
  auto parseBinding = [&]() -> ParseResult {
    arguments.emplace_back();
    operands.emplace_back();
    arguments.back().type = parser.getBuilder().getF32Type();
    return failure(parser.parseArgument(arguments.back()) ||
                   parser.parseEqual() || parser.parseOperand(operands.back()));
  };
  Region *body = result.addRegion();
  return failure(parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                                parseBinding) ||
                 parser.parseOptionalAttrDict(result.attributes) ||
                 parser.parseColonType(type) ||
                 parser.resolveOperands(operands, type.getInputs(), loc,
                                        result.operands) ||
                 parser.addTypesToList(type.getResults(), result.types) ||
                 parser.parseRegion(*body, arguments));
}

void MapOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(
      llvm::zip(getBody().getArguments(), getOperands()), printer, [&](auto pair) {
        printer << std::get<0>(pair) << " = " << std::get<1>(pair);
      });
  printer << ')';
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : ";
  printer.printFunctionalType(*this);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult MapOp::verify() {
  Type type = getResult().getType();
  if (cast<FragType>(type).getRole() != Role::acc ||
      llvm::any_of(getOperandTypes(), [&](Type t) { return t != type; }))
    return emitOpError("(map-types) operands and result must be acc fragments "
                       "of one shape");
  if (getBody().getNumArguments() != getNumOperands() ||
      llvm::any_of(getBody().getArgumentTypes(), [](Type t) { return !t.isF32(); }))
    return emitOpError("(map-types) the region needs an f32 argument for each of ")
           << getNumOperands() << " operands";
  if (!isa<tile::YieldOp>(getBody().front().getTerminator()))
    return emitOpError("(map-types) the region must end with tile.yield");
  return success();
}
