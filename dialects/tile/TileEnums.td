// Enumerations of the `tile` dialect, apart so that each dialect generates only
// its own.

#ifndef MOEC_DIALECTS_TILEENUMS_TD
#define MOEC_DIALECTS_TILEENUMS_TD

include "mlir/IR/EnumAttr.td"

def Tile_Role : I32EnumAttr<"Role", "what a fragment is to the matrix instruction", [
    I32EnumAttrCase<"a", 0>, I32EnumAttrCase<"b", 1>, I32EnumAttrCase<"acc", 2>,
    I32EnumAttrCase<"scale", 3>, I32EnumAttrCase<"offset", 4>,
    I32EnumAttrCase<"staged", 5>]> {
  let cppNamespace = "::mlir::tile";
  let genSpecializedAttr = 0;
}

def Tile_Axis : I32EnumAttr<"Axis", "an axis of the grid", [
    I32EnumAttrCase<"n", 0>, I32EnumAttrCase<"m", 1>]> {
  let cppNamespace = "::mlir::tile";
  let genSpecializedAttr = 0;
}

#endif // MOEC_DIALECTS_TILEENUMS_TD
