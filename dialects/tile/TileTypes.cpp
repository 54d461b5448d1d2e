// Attributes and types of the `tile` dialect: parsing and printing.

#include "dialects/tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

#include "dialects/tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tile/TileAttrs.cpp.inc"
      >();
}

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tile/TileTypes.cpp.inc"
      >();
}

/// `A x B x ... x`, `count` sizes of at least 1, each followed by an `x`.
static ParseResult parseSizes(AsmParser &parser, MutableArrayRef<int64_t> sizes) {
  for (int64_t &size : sizes) {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseInteger(size))
      return failure();
    if (size < 1)
      return parser.emitError(loc, "a size of a tile is at least 1, found ") << size;
    if (parser.parseKeyword("x"))
      return failure();
  }
  return success();
}

Type FragType::parse(AsmParser &parser) {
  int64_t sizes[2];
  Type element;
  StringRef name;
  if (parser.parseLess() || parseSizes(parser, sizes) ||
      parser.parseType(element) || parser.parseComma())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return {};
  std::optional<Role> role = symbolizeRole(name);
  if (!role) {
    parser.emitError(loc, "expected a role of a fragment: a, b, acc, scale, "
                          "offset or staged; found `")
        << name << '`';
    return {};
  }
  if (parser.parseGreater())
    return {};
  return FragType::get(parser.getContext(), sizes[0], sizes[1], element, *role);
}

void FragType::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << " x " << getCols() << " x " << getElement()
          << ", " << stringifyRole(getRole()) << '>';
}

Type LdsType::parse(AsmParser &parser) {
  int64_t sizes[3];
  Type element;
  if (parser.parseLess() || parseSizes(parser, sizes) ||
      parser.parseType(element) || parser.parseGreater())
    return {};
  return LdsType::get(parser.getContext(), sizes[0], sizes[1], sizes[2], element);
}

void LdsType::print(AsmPrinter &printer) const {
  printer << '<' << getBuffers() << " x " << getRows() << " x " << getCols()
          << " x " << getElement() << '>';
}
