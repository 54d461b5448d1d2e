// Enumerations of the `moe` dialect, apart so that each dialect generates only
// its own.

#ifndef MOEC_DIALECTS_MOEENUMS_TD
#define MOEC_DIALECTS_MOEENUMS_TD

include "mlir/IR/EnumAttr.td"

def Moe_RowSpace : I32EnumAttr<"RowSpace", "what one row of a matrix belongs to", [
    I32EnumAttrCase<"token", 0>, I32EnumAttrCase<"pair", 1>]> {
  let cppNamespace = "::mlir::moe";
  let genSpecializedAttr = 0;
}

def Moe_GeluForm : I32EnumAttr<"GeluForm", "which GELU", [
    I32EnumAttrCase<"erf", 0>, I32EnumAttrCase<"tanh", 1>]> {
  let cppNamespace = "::mlir::moe";
  let genSpecializedAttr = 0;
}

#endif // MOEC_DIALECTS_MOEENUMS_TD
