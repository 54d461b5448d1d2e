// The `moe` dialect itself, its attributes and types; operations are in Moe.td.

#ifndef MOEC_DIALECTS_MOEBASE_TD
#define MOEC_DIALECTS_MOEBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "dialects/moe/MoeEnums.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"

def Moe_Dialect : Dialect {
  let name = "moe";
  let cppNamespace = "::mlir::moe";
  let summary = "Mixture-of-Experts stages and layers, without tiles or lanes";
  let description = [{
    A `moe.stage` is evaluated once for every *pair*: a token, one of its top-k
    slots and the expert that routing chose for it. Pairs without a valid
    expert (an id outside `[0, E)`) are not evaluated. A `moe.layer` strings
    stages together.

    Symbols: `H` hidden, `I` intermediate, `E` experts, `K` experts a token.
    A problem binds them; see `moe-bind-problem`.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Moe_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Moe_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Moe_DimAttr : Moe_Attr<"Dim", "dim"> {
  let summary = "a size: a number, a symbol, or a multiple of a symbol";
  let description = [{
    Written inside types as `256`, `I` or `2*I`. An unbound size has a symbol
    and a factor; a bound one has no symbol and its value as the factor.

    Constraints:
    * (dim-range) the number or factor is 1 to 2^31 - 1.
  }];
  let parameters = (ins "int64_t":$factor, "StringAttr":$symbol);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isBound() const { return !getSymbol(); }
    /// The value of a bound size.
    int64_t value() const { return getFactor(); }
    /// Without the `#moe.dim<>` around it, as types print it.
    static FailureOr<DimAttr> parseBare(AsmParser &parser);
    void printBare(AsmPrinter &printer) const;
  }];
}

def Moe_QuantAttr : Moe_Attr<"Quant", "quant"> {
  let summary = "a quantised element with scales along the contraction";
  let description = [{
    `element` is the stored type. One scale of type `scale` belongs to `group`
    consecutive elements along the contraction of one channel; the last group
    of a row may be short. A missing group is bound by the problem. `i4` values
    are stored as value + 8.

    Example: `#moe.quant<i4, group = 32, scale = bf16>`, `#moe.quant<i4, scale = bf16>`.

    Constraints:
    * (quant-group) the group is a multiple of 32.
  }];
  let parameters = (ins "Type":$element,
                        DefaultValuedParameter<"int64_t", "0">:$group,
                        "Type":$scale);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Values print as `%asmName`, the type itself as the alias `!asmName`.
class Moe_Type<string name, string typeMnemonic, string asmName>
    : TypeDef<Moe_Dialect, name,
              [DeclareTypeInterfaceMethods<OpAsmTypeInterface, ["getAsmName", "getAlias"]>]> {
  let mnemonic = typeMnemonic;
  let extraClassDefinition = [{
    void $cppClass::getAsmName(OpAsmSetNameFn setName) const { setName("}] # asmName # [{"); }
    OpAsmAliasResult $cppClass::getAlias(llvm::raw_ostream &os) const {
      os << "}] # asmName # [{";
      return OpAsmAliasResult::OverridableAlias;
    }
  }];
}

def Moe_RowsType : Moe_Type<"Rows", "rows", "x"> {
  let summary = "a matrix with one row a token or one row a pair";
  let description = [{
    Row-major. The number of rows is known only at run time: M for `token`,
    M * K for `pair`, where pair `token * K + slot` is row number.

    Example: `!moe.rows<token x H x bf16>`, `!moe.rows<pair x I x bf16>`.
  }];
  let parameters = (ins "RowSpace":$space, "DimAttr":$cols, "Type":$element);
  let hasCustomAssemblyFormat = 1;
}

def Moe_ExpertsType : Moe_Type<"Experts", "experts", "w"> {
  let summary = "the weights of all experts";
  let description = [{
    `experts` matrices of `channels` x `depth`; a contraction runs along
    `depth`. Several projections of one stage lie one after the other along
    `channels` (gate rows, then up rows).

    Example: `!moe.experts<E x 2*I x H, #moe.quant<i4, scale = bf16>>`.
  }];
  let parameters = (ins "DimAttr":$experts, "DimAttr":$channels,
                        "DimAttr":$depth, "QuantAttr":$format);
  let hasCustomAssemblyFormat = 1;
}

def Moe_TopkType : Moe_Type<"Topk", "topk", "choice"> {
  let summary = "the router's choice: K expert ids (i32) and weights (f32) a token";
  let description = [{ Example: `!moe.topk<K of E>`. }];
  let parameters = (ins "DimAttr":$slots, "DimAttr":$experts);
  let hasCustomAssemblyFormat = 1;
}

def Moe_RoutingType : Moe_Type<"Routing", "routing", "r"> {
  let summary = "pairs sorted by expert, as `moe.route` makes them";
  let description = [{ Example: `!moe.routing<K of E>`. }];
  let parameters = (ins "DimAttr":$slots, "DimAttr":$experts);
  let hasCustomAssemblyFormat = 1;
}

#endif // MOEC_DIALECTS_MOEBASE_TD
