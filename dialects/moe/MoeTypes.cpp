// Attributes and types of the `moe` dialect: parsing, printing, constraints.

#include "dialects/moe/Moe.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::moe;

#include "dialects/moe/MoeEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/moe/MoeAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/moe/MoeTypes.cpp.inc"

void MoeDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/moe/MoeAttrs.cpp.inc"
      >();
}

void MoeDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/moe/MoeTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// DimAttr
//===----------------------------------------------------------------------===//

LogicalResult DimAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              int64_t factor, StringAttr symbol) {
  if (factor < 1 || factor > INT32_MAX)
    return emitError() << "(dim-range) a size is 1 to 2147483647, found " << factor;
  return success();
}

FailureOr<DimAttr> DimAttr::parseBare(AsmParser &parser) {
  int64_t factor = 1;
  StringRef symbol;
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult number = parser.parseOptionalInteger(factor);
  if (number.has_value()) {
    if (failed(*number))
      return failure();
    if (succeeded(parser.parseOptionalStar()) && parser.parseKeyword(&symbol))
      return failure();
  } else if (parser.parseOptionalKeyword(&symbol)) {
    return parser.emitError(loc, "expected a size: a number, a symbol such as "
                                 "`I`, or a multiple such as `2*I`");
  }
  MLIRContext *context = parser.getContext();
  return parser.getChecked<DimAttr>(
      loc, context, factor,
      symbol.empty() ? StringAttr() : StringAttr::get(context, symbol));
}

void DimAttr::printBare(AsmPrinter &printer) const {
  if (isBound() || getFactor() != 1)
    printer << getFactor();
  if (isBound())
    return;
  if (getFactor() != 1)
    printer << '*';
  printer << getSymbol().getValue();
}

Attribute DimAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<DimAttr> dim = parseBare(parser);
  if (failed(dim) || !*dim || parser.parseGreater())
    return {};
  return *dim;
}

void DimAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBare(printer);
  printer << '>';
}

/// Parses a bare size; null on error.
static DimAttr parseDim(AsmParser &parser) {
  FailureOr<DimAttr> dim = DimAttr::parseBare(parser);
  return succeeded(dim) ? *dim : DimAttr();
}

//===----------------------------------------------------------------------===//
// QuantAttr
//===----------------------------------------------------------------------===//

LogicalResult QuantAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                Type element, int64_t group, Type scale) {
  if (group < 0 || group % 32 != 0)
    return emitError() << "(quant-group) a group is a multiple of 32, found "
                       << group;
  return success();
}

Attribute QuantAttr::parse(AsmParser &parser, Type) {
  Type element, scale;
  int64_t group = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseType(element) || parser.parseComma())
    return {};
  if (succeeded(parser.parseOptionalKeyword("group")) &&
      (parser.parseEqual() || parser.parseInteger(group) || parser.parseComma()))
    return {};
  if (parser.parseKeyword("scale") || parser.parseEqual() ||
      parser.parseType(scale) || parser.parseGreater())
    return {};
  return parser.getChecked<QuantAttr>(loc, parser.getContext(), element, group,
                                      scale);
}

void QuantAttr::print(AsmPrinter &printer) const {
  printer << '<' << getElement();
  if (getGroup())
    printer << ", group = " << getGroup();
  printer << ", scale = " << getScale() << '>';
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type RowsType::parse(AsmParser &parser) {
  StringRef space;
  Type element;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&space))
    return {};
  std::optional<RowSpace> rowSpace = symbolizeRowSpace(space);
  if (!rowSpace) {
    parser.emitError(loc, "expected `token` or `pair` as the rows of a matrix, "
                          "found `")
        << space << '`';
    return {};
  }
  if (parser.parseKeyword("x"))
    return {};
  DimAttr cols = parseDim(parser);
  if (!cols || parser.parseKeyword("x") || parser.parseType(element) ||
      parser.parseGreater())
    return {};
  return RowsType::get(parser.getContext(), *rowSpace, cols, element);
}

void RowsType::print(AsmPrinter &printer) const {
  printer << '<' << stringifyRowSpace(getSpace()) << " x ";
  getCols().printBare(printer);
  printer << " x " << getElement() << '>';
}

Type ExpertsType::parse(AsmParser &parser) {
  QuantAttr format;
  if (parser.parseLess())
    return {};
  DimAttr experts = parseDim(parser);
  if (!experts || parser.parseKeyword("x"))
    return {};
  DimAttr channels = parseDim(parser);
  if (!channels || parser.parseKeyword("x"))
    return {};
  DimAttr depth = parseDim(parser);
  if (!depth || parser.parseComma() || parser.parseAttribute(format) ||
      parser.parseGreater())
    return {};
  return ExpertsType::get(parser.getContext(), experts, channels, depth, format);
}

void ExpertsType::print(AsmPrinter &printer) const {
  printer << '<';
  getExperts().printBare(printer);
  printer << " x ";
  getChannels().printBare(printer);
  printer << " x ";
  getDepth().printBare(printer);
  printer << ", " << getFormat() << '>';
}

/// `<K of E>`, shared by topk and routing.
static FailureOr<std::pair<DimAttr, DimAttr>> parseChoice(AsmParser &parser) {
  if (parser.parseLess())
    return failure();
  DimAttr slots = parseDim(parser);
  if (!slots || parser.parseKeyword("of"))
    return failure();
  DimAttr experts = parseDim(parser);
  if (!experts || parser.parseGreater())
    return failure();
  return std::make_pair(slots, experts);
}

static void printChoice(AsmPrinter &printer, DimAttr slots, DimAttr experts) {
  printer << '<';
  slots.printBare(printer);
  printer << " of ";
  experts.printBare(printer);
  printer << '>';
}

Type TopkType::parse(AsmParser &parser) {
  auto choice = parseChoice(parser);
  if (failed(choice))
    return {};
  return TopkType::get(parser.getContext(), choice->first, choice->second);
}
void TopkType::print(AsmPrinter &printer) const {
  printChoice(printer, getSlots(), getExperts());
}

Type RoutingType::parse(AsmParser &parser) {
  auto choice = parseChoice(parser);
  if (failed(choice))
    return {};
  return RoutingType::get(parser.getContext(), choice->first, choice->second);
}
void RoutingType::print(AsmPrinter &printer) const {
  printChoice(printer, getSlots(), getExperts());
}
