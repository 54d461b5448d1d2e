// The `moe` dialect: what a Mixture-of-Experts layer computes.
//
// A stage says, for every (token, slot) pair that routing produced and every
// output channel, how a value follows from a contraction with the pair's
// expert. It names no tile, no lane and no architecture. Sizes are symbols
// that a problem binds. README.md beside this file opens with an example.

#ifndef MOEC_DIALECTS_MOE_TD
#define MOEC_DIALECTS_MOE_TD

include "dialects/moe/MoeBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

class Moe_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Moe_Dialect, opMnemonic, traits>;

/// Stages and layers: block arguments are named after their types.
class Moe_FunctionOp<string opMnemonic>
    : Moe_Op<opMnemonic, [FunctionOpInterface, IsolatedFromAbove, SingleBlock,
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let extraClassDefinition = [{
    void $cppClass::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
      nameByType(region.getArguments(), setName);
    }
  }];
}

def Moe_StageOp : Moe_FunctionOp<"stage"> {
  let summary = "one tiled expert GEMM with arithmetic on its result";
  let description = [{
    The body is evaluated once for every pair and every output channel; its
    scalars are f32. `moe.contract` gives the channel's dot products, `arith`,
    `math` and `moe` scalar operations follow, `moe.yield` ends it.

    If the result has one row a pair, the yielded value is rounded to the
    result's element type (to nearest even) and stored in the pair's row. If
    it has one row a token, the values of a token's pairs are summed in f32 in
    ascending slot order and rounded once; a token without pairs is zero.

    ```mlir
    moe.stage @gate_up(%x: !moe.rows<token x H x bf16>,
                       %w: !moe.experts<E x 2*I x H, #moe.quant<i4, scale = bf16>>,
                       %r: !moe.routing<K of E>) -> !moe.rows<pair x I x bf16> {
      %gate, %up = moe.contract %x, %w by %r
          : !moe.rows<token x H x bf16>,
            !moe.experts<E x 2*I x H, #moe.quant<i4, scale = bf16>>,
            !moe.routing<K of E> -> f32, f32
      %act = moe.silu %gate : f32
      %y = arith.mulf %act, %up : f32
      moe.yield %y : f32
    }
    ```

    Type aliases (`!x = !moe.rows<token x H x bf16>` before the stage) keep the
    lines short.

    Constraints:
    * (stage-operands) arguments are rows, experts and routing; the result is rows.
    * (stage-contract) the body has exactly one `moe.contract`.
    * (stage-scalar) every other operation of the body works on f32 or i1
      scalars and is an `arith`, `math` or `moe` operation.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ArrayRef<Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ArrayRef<Type> getResultTypes() { return getFunctionType().getResults(); }
    Region *getCallableRegion() { return &getBody(); }
    RowsType getResultRows() { return cast<RowsType>(getResultTypes().front()); }
    ContractOp getContract();
  }];
}

def Moe_ContractOp : Moe_Op<"contract", [Pure]> {
  let summary = "dot products of a row with channels of the pair's expert";
  let description = [{
    With P results, `channels` of the weights is P times the number of output
    channels: result p of channel n is `sum_k x[row, k] * w[e, p * N + n, k]`,
    accumulated in f32. The row is the pair's token or the pair itself, as the
    type of `x` says.

    ```mlir
    %gate, %up = moe.contract %x, %w by %r : !x, !w, !r -> f32, f32
    ```

    Constraints:
    * (contract-depth) the columns of `x` equal the depth of `w`.
    * (contract-channels) the channels of `w` are results times the stage's columns.
    * (contract-routing) routing and weights agree on the number of experts.
  }];
  let arguments = (ins Moe_RowsType:$x, Moe_ExpertsType:$weights,
                       Moe_RoutingType:$routing);
  let results = (outs Variadic<F32>:$projections);
  let assemblyFormat = [{
    $x `,` $weights `by` $routing attr-dict `:` type($x) `,` type($weights)
    `,` type($routing) `->` type($projections)
  }];
  let hasVerifier = 1;
}

def Moe_RouterWeightOp : Moe_Op<"router_weight", [Pure]> {
  let summary = "the router's f32 weight of this pair";
  let description = [{
    ```mlir
    %p = moe.router_weight %r : !moe.routing<K of E>
    ```
  }];
  let arguments = (ins Moe_RoutingType:$routing);
  let results = (outs F32:$result);
  let assemblyFormat = "$routing attr-dict `:` type($routing)";
}

class Moe_UnaryOp<string opMnemonic> : Moe_Op<opMnemonic, [Pure]> {
  let arguments = (ins F32:$operand);
  let results = (outs F32:$result);
}

def Moe_SiluOp : Moe_UnaryOp<"silu"> {
  let summary = "x * sigmoid(x)";
  let description = [{
    NaN propagates; -inf gives NaN, as the product does.

    ```mlir
    %act = moe.silu %gate : f32
    ```
  }];
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Moe_GeluFormAttr : EnumAttr<Moe_Dialect, Moe_GeluForm, "gelu_form">;

def Moe_GeluOp : Moe_UnaryOp<"gelu"> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `erf`: x/2 * (1 + erf(x / sqrt 2)). `tanh`: the approximation
    x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).

    ```mlir
    %act = moe.gelu tanh %gate : f32
    ```
  }];
  let arguments = (ins Moe_GeluFormAttr:$form, F32:$operand);
  let assemblyFormat = "$form $operand attr-dict `:` type($result)";
}

def Moe_YieldOp : Moe_Op<"yield", [Pure, Terminator, HasParent<"StageOp">]> {
  let summary = "the value of this pair and channel";
  let description = [{
    ```mlir
    moe.yield %y : f32
    ```
  }];
  let arguments = (ins F32:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

def Moe_LayerOp : Moe_FunctionOp<"layer"> {
  let summary = "the nodes of a Mixture-of-Experts layer and the edges between them";
  let description = [{
    Every argument carries the name by which a caller supplies it
    (`moe.tensor`). `serves` says which problems the layer is for: a problem
    whose fields equal all of its entries.

    ```mlir
    moe.layer @int4_silu(%x: !moe.rows<token x H x bf16> {moe.tensor = "x"},
        %choice: !moe.topk<K of E> {moe.tensor = "topk"},
        %w13: !moe.experts<E x 2*I x H, #moe.quant<i4, scale = bf16>> {moe.tensor = "w13"},
        %w2: !moe.experts<E x H x I, #moe.quant<i4, scale = bf16>> {moe.tensor = "w2"})
        -> !moe.rows<token x H x bf16>
        attributes {serves = {act_dtype = "bf16", act_fn = "silu", weights = "int4"}} {
      %r = moe.route %choice : !moe.topk<K of E> -> !moe.routing<K of E>
      %h = moe.apply @gate_up(%x, %w13) by %r
          : !moe.rows<token x H x bf16>,
            !moe.experts<E x 2*I x H, #moe.quant<i4, scale = bf16>>,
            !moe.routing<K of E> -> !moe.rows<pair x I x bf16>
      %y = moe.apply @down(%h, %w2) by %r
          : !moe.rows<pair x I x bf16>,
            !moe.experts<E x H x I, #moe.quant<i4, scale = bf16>>,
            !moe.routing<K of E> -> !moe.rows<token x H x bf16>
      moe.return %y : !moe.rows<token x H x bf16>
    }
    ```

    Constraints:
    * (layer-tensor) every argument has a distinct `moe.tensor` name.
    * (layer-operands) arguments are rows, topk and experts; the result is rows.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<DictionaryAttr>:$serves);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ArrayRef<Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ArrayRef<Type> getResultTypes() { return getFunctionType().getResults(); }
    Region *getCallableRegion() { return &getBody(); }
    /// The `moe.tensor` name of argument `i`.
    StringRef getTensorName(unsigned i);
  }];
}

def Moe_RouteOp : Moe_Op<"route", [Pure, HasParent<"LayerOp">]> {
  let summary = "sort the pairs by expert";
  let description = [{
    ```mlir
    %r = moe.route %choice : !moe.topk<K of E> -> !moe.routing<K of E>
    ```

    Constraints:
    * (route-sizes) slots and experts of operand and result agree.
  }];
  let arguments = (ins Moe_TopkType:$choice);
  let results = (outs Moe_RoutingType:$routing);
  let assemblyFormat = "$choice attr-dict `:` type($choice) `->` type($routing)";
  let hasVerifier = 1;
}

def Moe_ApplyOp : Moe_Op<"apply", [Pure, HasParent<"LayerOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run a stage over all pairs";
  let description = [{
    ```mlir
    %h = moe.apply @gate_up(%x, %w13) by %r : !x, !w13, !r -> !h
    ```

    Constraints:
    * (apply-stage) the symbol names a `moe.stage` of the module.
    * (apply-types) operands and result have the stage's types.
  }];
  let arguments = (ins FlatSymbolRefAttr:$stage, Moe_RowsType:$x,
                       Moe_ExpertsType:$weights, Moe_RoutingType:$routing);
  let results = (outs Moe_RowsType:$result);
  let assemblyFormat = [{
    $stage `(` $x `,` $weights `)` `by` $routing attr-dict `:` type($x) `,`
    type($weights) `,` type($routing) `->` type($result)
  }];
}

def Moe_ReturnOp : Moe_Op<"return", [Pure, Terminator, HasParent<"LayerOp">]> {
  let summary = "the layer's result";
  let description = [{
    ```mlir
    moe.return %y : !moe.rows<token x H x bf16>
    ```

    Constraints:
    * (return-type) the value has the layer's result type.
  }];
  let arguments = (ins Moe_RowsType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif // MOEC_DIALECTS_MOE_TD
