// Operations of the `moe` dialect: verification and the function-like syntax.

#include "dialects/moe/Moe.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::moe;

#include "dialects/moe/MoeDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/moe/MoeOps.cpp.inc"

void MoeDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/moe/MoeOps.cpp.inc"
      >();
}

void mlir::moe::nameByType(ValueRange values, OpAsmSetValueNameFn setName) {
  for (Value value : values)
    if (auto named = dyn_cast<OpAsmTypeInterface>(value.getType()))
      named.getAsmName([&](StringRef name) { setName(value, name); });
}

/// Stages and layers share the syntax of functions.
template <typename OpTy>
static ParseResult parseFunctionLike(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      OpTy::getFunctionTypeAttrName(result.name), buildType,
      OpTy::getArgAttrsAttrName(result.name),
      OpTy::getResAttrsAttrName(result.name));
}

template <typename OpTy>
static void printFunctionLike(OpAsmPrinter &printer, OpTy op) {
  function_interface_impl::printFunctionOp(
      printer, op, /*isVariadic=*/false, op.getFunctionTypeAttrName(),
      op.getArgAttrsAttrName(), op.getResAttrsAttrName());
}

//===----------------------------------------------------------------------===//
// StageOp
//===----------------------------------------------------------------------===//

ParseResult StageOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunctionLike<StageOp>(parser, result);
}
void StageOp::print(OpAsmPrinter &printer) { printFunctionLike(printer, *this); }

ContractOp StageOp::getContract() {
  return *getBody().front().getOps<ContractOp>().begin();
}

LogicalResult StageOp::verify() {
  for (auto [i, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<RowsType, ExpertsType, RoutingType>(type))
      return emitOpError("(stage-operands) argument ")
             << i << " must be !moe.rows, !moe.experts or !moe.routing, found "
             << type;
  if (getResultTypes().size() != 1 || !isa<RowsType>(getResultTypes().front()))
    return emitOpError("(stage-operands) must have one result of type !moe.rows");
  return success();
}

LogicalResult StageOp::verifyRegions() {
  auto contracts = getBody().front().getOps<ContractOp>();
  auto count = std::distance(contracts.begin(), contracts.end());
  if (count != 1)
    return emitOpError("(stage-contract) must have exactly one moe.contract, found ")
           << count;
  for (Operation &op : getBody().front()) {
    StringRef dialect = op.getName().getDialectNamespace();
    if (dialect != "moe" && dialect != "arith" && dialect != "math")
      return op.emitOpError("(stage-scalar) is not allowed in a stage; use "
                            "arith, math and moe scalar operations");
    for (Type type : op.getResultTypes())
      if (!type.isF32() && !type.isInteger(1))
        return op.emitOpError("(stage-scalar) must give f32 or i1 scalars, found ")
               << type;
    if (op.getNumRegions())
      return op.emitOpError("(stage-scalar) must have no regions");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ContractOp
//===----------------------------------------------------------------------===//

/// `times` times `dim`, as types print it.
static std::string text(DimAttr dim, int64_t times = 1) {
  std::string out;
  llvm::raw_string_ostream os(out);
  int64_t factor = dim.getFactor() * times;
  if (dim.isBound() || factor != 1)
    os << factor << (dim.isBound() ? "" : "*");
  if (!dim.isBound())
    os << dim.getSymbol().getValue();
  return out;
}

LogicalResult ContractOp::verify() {
  ExpertsType weights = getWeights().getType();
  if (getX().getType().getCols() != weights.getDepth())
    return emitOpError("(contract-depth) contracts ")
           << text(getX().getType().getCols()) << " columns of x with a depth of "
           << text(weights.getDepth()) << " of the weights: they must be equal";
  if (getRouting().getType().getExperts() != weights.getExperts())
    return emitOpError("(contract-routing) routing is over ")
           << text(getRouting().getType().getExperts())
           << " experts and the weights have " << text(weights.getExperts());
  if (getNumResults() == 0)
    return emitOpError("(contract-channels) must have at least one result");
  if (auto stage = (*this)->getParentOfType<StageOp>()) {
    DimAttr cols = stage.getResultRows().getCols(), channels = weights.getChannels();
    if (channels.getSymbol() != cols.getSymbol() ||
        channels.getFactor() != cols.getFactor() * int64_t(getNumResults()))
      return emitOpError("(contract-channels) with ")
             << getNumResults() << " result(s) and "
             << text(cols) << " columns in the stage's result the weights must have "
             << text(cols, getNumResults()) << " channels, found " << text(channels);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// LayerOp
//===----------------------------------------------------------------------===//

ParseResult LayerOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunctionLike<LayerOp>(parser, result);
}
void LayerOp::print(OpAsmPrinter &printer) { printFunctionLike(printer, *this); }

StringRef LayerOp::getTensorName(unsigned i) {
  auto name = getArgAttrOfType<StringAttr>(i, kTensorAttr);
  return name ? name.getValue() : StringRef();
}

LogicalResult LayerOp::verify() {
  llvm::StringSet<> names;
  for (auto [i, type] : llvm::enumerate(getArgumentTypes())) {
    if (!isa<RowsType, TopkType, ExpertsType>(type))
      return emitOpError("(layer-operands) argument ")
             << i << " must be !moe.rows, !moe.topk or !moe.experts, found " << type;
    StringRef name = getTensorName(i);
    if (name.empty())
      return emitOpError("(layer-tensor) argument ")
             << i << " needs a name: {moe.tensor = \"...\"}";
    if (!names.insert(name).second)
      return emitOpError("(layer-tensor) two arguments are named \"") << name << '"';
  }
  if (getResultTypes().size() != 1 || !isa<RowsType>(getResultTypes().front()))
    return emitOpError("(layer-operands) must have one result of type !moe.rows");
  return success();
}

LogicalResult RouteOp::verify() {
  TopkType choice = getChoice().getType();
  RoutingType routing = getRouting().getType();
  if (choice.getSlots() != routing.getSlots() ||
      choice.getExperts() != routing.getExperts())
    return emitOpError("(route-sizes) sorts ")
           << choice << " into " << routing << ": slots and experts must agree";
  return success();
}

LogicalResult ApplyOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto stage = tables.lookupNearestSymbolFrom<StageOp>(*this, getStageAttr());
  if (!stage)
    return emitOpError("(apply-stage) \"")
           << getStage() << "\" is not a moe.stage of this module";
  Type expected[] = {getX().getType(), getWeights().getType(), getRouting().getType()};
  if (stage.getArgumentTypes() != ArrayRef<Type>(expected) ||
      stage.getResultTypes().front() != getResult().getType()) {
    InFlightDiagnostic diag = emitOpError("(apply-types) operands and result "
                                          "differ from those of stage \"")
                              << getStage() << "\", which has type "
                              << stage.getFunctionType();
    diag.attachNote(stage.getLoc()) << "the stage is here";
    return diag;
  }
  return success();
}

LogicalResult ReturnOp::verify() {
  Type expected = cast<LayerOp>((*this)->getParentOp()).getResultTypes().front();
  if (getValue().getType() != expected)
    return emitOpError("(return-type) returns ")
           << getValue().getType() << " from a layer of result " << expected;
  return success();
}
