// The `tile` dialect: one block's program.
//
// Tiles are values, LDS buffers and barriers are explicit, and so is the loop
// along K with what it keeps in flight. Which lane holds what is a fragment's
// role, defined once per matrix instruction in the target table; this dialect
// never names a lane. Sizes are bound. README.md beside this file shows a
// whole program.

#ifndef MOEC_DIALECTS_TILE_TD
#define MOEC_DIALECTS_TILE_TD

include "dialects/moe/MoeBase.td"
include "dialects/tile/TileEnums.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::mlir::tile";
  let summary = "one block's program over tiles, LDS buffers and fragments";
  let description = [{
    A `tile.program` runs on a grid of blocks (n blocks along x, m blocks along
    y) of `waves` waves. Every wave executes all operations; `tile.fetch` and
    `tile.put` divide their tile among the threads of the block, all other
    operations work on a tile of one wave.
  }];
  let dependentDialects = ["::mlir::moe::MoeDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

def Tile_ScheduleAttr : AttrDef<Tile_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "how a stage becomes a program";
  let description = [{
    * `block_m`: rows of a block, the rows of the matrix instruction (16).
    * `block_n`: output channels of a block, a multiple of 16 * `waves`.
    * `block_k`: contraction elements a step of the loop, a multiple of 256.
    * `waves`: waves of a block, side by side along n: 1, 2, 4 or 8.
    * `prefetch`: steps whose loads are in flight, 2 or 4. Activations,
      weights and scales of a step are loaded together, this far ahead.

    Example: `#tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>`.

    What a field may be depends on the target; `stage-to-tile` checks it.
  }];
  let parameters = (ins "int64_t":$block_m, "int64_t":$block_n,
                        "int64_t":$block_k, "int64_t":$waves,
                        "int64_t":$prefetch);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Values print as `%name` and types as the alias `!name`, where the C++
/// expression `asmName` gives the name.
class Tile_Type<string name, string typeMnemonic, string asmName>
    : TypeDef<Tile_Dialect, name,
              [DeclareTypeInterfaceMethods<OpAsmTypeInterface, ["getAsmName", "getAlias"]>]> {
  let mnemonic = typeMnemonic;
  let extraClassDefinition = [{
    void $cppClass::getAsmName(OpAsmSetNameFn setName) const { setName(}] # asmName # [{); }
    OpAsmAliasResult $cppClass::getAlias(llvm::raw_ostream &os) const {
      os << }] # asmName # [{;
      return OpAsmAliasResult::OverridableAlias;
    }
  }];
}

def Tile_FragType : Tile_Type<"Frag", "frag", "stringifyRole(getRole())"> {
  let summary = "a tile in registers";
  let description = [{
    Roles:
    * `a`: rows x k activations, the first operand of the matrix instruction;
    * `b`: channels x k weights, its second operand, quantised as stored;
    * `acc`: rows x channels, its result;
    * `scale`: channels x groups, the scales of a `b` tile;
    * `offset`: rows x groups, what `tile.offset` gives;
    * `staged`: rows x k on its way to LDS, divided among all threads of the block.

    Example: `!tile.frag<16 x 256 x bf16, a>`.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$cols, "Type":$element, "Role":$role);
  let hasCustomAssemblyFormat = 1;
}

def Tile_LdsType : Tile_Type<"Lds", "lds", "\"lds\""> {
  let summary = "a ring of tiles in LDS";
  let description = [{
    Tiles are kept in fragment order with their 16-byte chunks swizzled, so
    that neither `tile.put` nor `tile.read` has bank conflicts.

    Example: `!tile.lds<2 x 16 x 256 x bf16>`.
  }];
  let parameters = (ins "int64_t":$buffers, "int64_t":$rows, "int64_t":$cols, "Type":$element);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    int64_t getTileBytes() const {
      return getRows() * getCols() * getElement().getIntOrFloatBitWidth() / 8;
    }
  }];
}

def Tile_BlockRowsType : Tile_Type<"BlockRows", "block_rows", "\"rows\""> {
  let summary = "the pairs whose rows a block computes";
  let description = [{ Example: `!tile.block_rows`. }];
}

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

/// Results are named after their types.
class Tile_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, opMnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>])> {
  code nameResults = [{
    void $cppClass::getAsmResultNames(OpAsmSetValueNameFn setName) {
      moe::nameByType((*this)->getResults(), setName);
    }
  }];
  let extraClassDefinition = nameResults;
}

def Tile_ProgramOp : Tile_Op<"program", [FunctionOpInterface, IsolatedFromAbove,
    SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "what one block of a kernel does";
  let description = [{
    Arguments are operands in memory: `!moe.rows`, `!moe.experts` and
    `!moe.routing` with bound sizes; the last `!moe.rows` argument is the
    output. The kernel's arguments follow from them in order: a pointer for
    rows; pointers to values and scales for experts; sorted ids, expert ids,
    number of valid rows, router weights and the number of tokens for routing.

    ```mlir
    tile.program @zeros(%out: !moe.rows<pair x 64 x bf16>, %route: !moe.routing<8 of 384>)
        attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16,
          block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
      %mb = tile.block_id m
      %rows, %expert = tile.rows %route[%mb] : !moe.routing<8 of 384>
      %wave = tile.wave_id
      %z = tile.zero : !tile.frag<16 x 16 x f32, acc>
      tile.store %z, %out[%rows, %wave] : !tile.frag<16 x 16 x f32, acc>, !moe.rows<pair x 64 x bf16>
      tile.return
    }
    ```

    Constraints:
    * (program-target) the target is one of the target table.
    * (program-schedule) block_m is 16; waves 1, 2, 4 or 8; block_n a multiple
      of 16 * waves; block_k a multiple of 256; prefetch 2 or 4.
    * (program-arguments) arguments are bound rows, experts and routing.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       StrAttr:$target, Tile_ScheduleAttr:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ArrayRef<Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ArrayRef<Type> getResultTypes() { return getFunctionType().getResults(); }
    Region *getCallableRegion() { return &getBody(); }
  }];
  let extraClassDefinition = nameResults # [{
    void $cppClass::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
      moe::nameByType(region.getArguments(), setName);
    }
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"ProgramOp">]> {
  let summary = "end of a program";
  let description = [{
    ```mlir
    tile.return
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_AxisAttr : EnumAttr<Tile_Dialect, Tile_Axis, "axis">;

def Tile_BlockIdOp : Tile_Op<"block_id", [Pure]> {
  let summary = "this block's number along an axis";
  let description = [{
    ```mlir
    %mb = tile.block_id m
    ```
  }];
  let arguments = (ins Tile_AxisAttr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis attr-dict";
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(OpAsmSetValueNameFn setName) {
      setName(getResult(), getAxis() == Axis::n ? "nb" : "mb");
    }
  }];
}

def Tile_WaveIdOp : Tile_Op<"wave_id", [Pure]> {
  let summary = "this wave's number in the block, known to be uniform";
  let description = [{
    ```mlir
    %wave = tile.wave_id
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(OpAsmSetValueNameFn setName) {
      setName(getResult(), "wave");
    }
  }];
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

def Tile_RowsOp : Tile_Op<"rows", []> {
  let summary = "the pairs of an m block and their expert; a block past the valid rows leaves here";
  let description = [{
    Rows that only pad the block read as zero and are never stored.

    ```mlir
    %rows, %expert = tile.rows %route[%mb] : !moe.routing<8 of 384>
    ```

    Constraints:
    * (rows-top) stands directly in the program's body, once.
  }];
  let arguments = (ins Moe_RoutingType:$routing, Index:$block);
  let results = (outs Tile_BlockRowsType:$rows, Index:$expert);
  let assemblyFormat = "$routing `[` $block `]` attr-dict `:` type($routing)";
  let hasVerifier = 1;
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(OpAsmSetValueNameFn setName) {
      setName(getRows(), "rows");
      setName(getExpert(), "expert");
    }
  }];
}

def Tile_RouterWeightOp : Tile_Op<"router_weight", [Pure]> {
  let summary = "the router's weight of each row, in every channel of an accumulator tile";
  let description = [{
    ```mlir
    %p = tile.router_weight %rows : !tile.frag<16 x 16 x f32, acc>
    ```
  }];
  let arguments = (ins Tile_BlockRowsType:$rows);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = "$rows attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Activations: memory -> registers -> LDS -> fragments
//===----------------------------------------------------------------------===//

def Tile_AllocOp : Tile_Op<"alloc", []> {
  let summary = "an LDS buffer of the block";
  let description = [{
    ```mlir
    %xs = tile.alloc : !tile.lds<2 x 16 x 256 x bf16>
    ```
  }];
  let results = (outs Tile_LdsType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_FetchOp : Tile_Op<"fetch", []> {
  let summary = "gather the block's rows, from column k on, into registers";
  let description = [{
    With `k` past the last column it reads zeros and accesses no memory.

    ```mlir
    %x0 = tile.fetch %x[%rows, %k] : !moe.rows<token x 7168 x bf16> -> !tile.frag<16 x 256 x bf16, staged>
    ```

    Constraints:
    * (fetch-role) the result is a `staged` fragment of the operand's element type.
    * (fetch-step) its columns are a multiple of 32.
  }];
  let arguments = (ins Moe_RowsType:$source, Tile_BlockRowsType:$rows, Index:$k);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = "$source `[` $rows `,` $k `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PutOp : Tile_Op<"put", []> {
  let summary = "write a staged tile into one buffer of the ring";
  let description = [{
    A `tile.barrier` must follow before any wave reads it.

    ```mlir
    tile.put %x0, %xs[%slot] : !tile.frag<16 x 256 x bf16, staged>, !tile.lds<2 x 16 x 256 x bf16>
    ```

    Constraints:
    * (put-fit) the fragment is `staged`, fits a buffer and has its element type.
  }];
  let arguments = (ins Tile_FragType:$value, Tile_LdsType:$buffer, Index:$slot);
  let assemblyFormat = "$value `,` $buffer `[` $slot `]` attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def Tile_ReadOp : Tile_Op<"read", []> {
  let summary = "read an `a` fragment from one buffer of the ring";
  let description = [{
    ```mlir
    %a = tile.read %xs[%slot] : !tile.lds<2 x 16 x 256 x bf16> -> !tile.frag<16 x 256 x bf16, a>
    ```

    Constraints:
    * (read-fit) the result is an `a` fragment that fits a buffer and has its element type.
  }];
  let arguments = (ins Tile_LdsType:$buffer, Index:$slot);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = "$buffer `[` $slot `]` attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier", []> {
  let summary = "all waves arrive; LDS writes before it are seen after it";
  let description = [{
    Loads from global memory stay in flight across it.

    ```mlir
    tile.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_IssueOp : Tile_Op<"issue", []> {
  let summary = "what stands above is issued before anything below";
  let description = [{
    Keeps the loads of the next step ahead of this step's arithmetic when the
    machine scheduler would sink them to their use.

    ```mlir
    tile.issue
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Weights: memory -> fragments
//===----------------------------------------------------------------------===//

class Tile_WeightsOp<string opMnemonic> : Tile_Op<opMnemonic, []> {
  let arguments = (ins Moe_ExpertsType:$source, Index:$expert,
                       I64Attr:$projection, Index:$n, Index:$k);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = [{
    $source `[` $expert `,` $projection `,` $n `,` $k `]` attr-dict `:`
    type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_WeightsOp<"load"> {
  let summary = "16 channels of an expert, from column k on, straight to registers";
  let description = [{
    `projection` selects one of the equal parts of the channels, `n` a tile of
    16 channels in it; `k` is a multiple of 256. Loads are non-temporal, 16
    bytes a lane; columns beyond the last multiple of 128 are the end of the
    contraction and use narrower ones. A tile past the last channel reads as
    anything and must not be stored; with `k` past the last column all reads
    give zeros and access no memory.

    ```mlir
    %g = tile.load %w[%expert, 0, %n, %k] : !moe.experts<384 x 512 x 7168, #moe.quant<i4, group = 32, scale = bf16>> -> !tile.frag<16 x 256 x i4, b>
    ```

    Constraints:
    * (load-role) the result is a `b` fragment of 16 rows of the weights' element.
    * (load-step) its columns are a multiple of 32.
    * (load-projection) the projection is one of channels / output columns.
    * (load-expert) the expert is that of the program's `tile.rows`.
  }];
}

def Tile_LoadScaleOp : Tile_WeightsOp<"load_scale"> {
  let summary = "the scales that belong to a tile of weights";
  let description = [{
    With `k` past the last column it reads zeros and accesses no memory.

    ```mlir
    %s = tile.load_scale %w[%expert, 0, %n, %k] : !moe.experts<384 x 512 x 7168, #moe.quant<i4, group = 32, scale = bf16>> -> !tile.frag<16 x 8 x bf16, scale>
    ```

    Constraints:
    * (scale-role) the result is a `scale` fragment of 16 rows of the scale's type.
    * (load-projection) the projection is one of channels / output columns.
    * (load-expert) the expert is that of the program's `tile.rows`.
  }];
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

def Tile_ZeroOp : Tile_Op<"zero", [Pure]> {
  let summary = "an accumulator of zeros";
  let description = [{
    ```mlir
    %z = tile.zero : !tile.frag<16 x 16 x f32, acc>
    ```
  }];
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_OffsetOp : Tile_Op<"offset", [Pure]> {
  let summary = "what the stored zero point of a group adds to its dot products, negated";
  let description = [{
    Weights become small exact bf16 numbers with a constant added to each; per
    group of `group` columns this gives minus that constant times the sum of
    the activations. It depends on no weight, so that all tiles of channels
    share it.

    ```mlir
    %o = tile.offset %a {group = 32} : !tile.frag<16 x 256 x bf16, a> -> !tile.frag<16 x 8 x f32, offset>
    ```

    Constraints:
    * (offset-groups) the result has one column a group, the last may be short.
  }];
  let arguments = (ins Tile_FragType:$a, I64Attr:$group);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = "$a attr-dict `:` type($a) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_MmaOp : Tile_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + sum over groups of scale * (a . b of the group)";
  let description = [{
    Quantised weights are unpacked exactly; each group's dot products start
    from `offset` and are scaled in f32 before they cross groups.

    ```mlir
    %g1 = tile.mma %a, %g, %g0 scaled %s offset %o {group = 32}
        : !tile.frag<16 x 256 x bf16, a>, !tile.frag<16 x 256 x i4, b>,
          !tile.frag<16 x 8 x bf16, scale>, !tile.frag<16 x 8 x f32, offset>
          -> !tile.frag<16 x 16 x f32, acc>
    ```

    Constraints:
    * (mma-depth) a and b have the same number of columns.
    * (mma-groups) scale and offset have one column a group, the last may be short.
    * (mma-roles) operands have the roles of their places.
  }];
  let arguments = (ins Tile_FragType:$a, Tile_FragType:$b, Tile_FragType:$acc,
                       Tile_FragType:$scale, Tile_FragType:$offset,
                       I64Attr:$group);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc `scaled` $scale `offset` $offset attr-dict `:` type($a)
    `,` type($b) `,` type($scale) `,` type($offset) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_MapOp : Tile_Op<"map", [Pure, SingleBlock]> {
  let summary = "scalar arithmetic on every element of accumulator tiles";
  let description = [{
    The region is the stage's own arithmetic.

    ```mlir
    %y = tile.map (%a = %g, %b = %u) : (!tile.frag<16 x 16 x f32, acc>, !tile.frag<16 x 16 x f32, acc>) -> !tile.frag<16 x 16 x f32, acc> {
      %0 = arith.mulf %a, %b : f32
      tile.yield %0 : f32
    }
    ```

    Constraints:
    * (map-types) operands and result are `acc` fragments of one shape; the
      region has an f32 argument for each operand.
  }];
  let arguments = (ins Variadic<Tile_FragType>:$operands);
  let results = (outs Tile_FragType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, HasParent<"MapOp">]> {
  let summary = "the value of one element";
  let description = [{
    ```mlir
    tile.yield %0 : f32
    ```
  }];
  let arguments = (ins F32:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Tile_StoreOp : Tile_Op<"store", []> {
  let summary = "round an accumulator tile and write it to its rows";
  let description = [{
    `n` is a tile of 16 channels. Rows that pad the block and channels past the
    last are not written. Rounds to nearest even.

    ```mlir
    tile.store %y, %out[%rows, %n] : !tile.frag<16 x 16 x f32, acc>, !moe.rows<pair x 256 x bf16>
    ```

    Constraints:
    * (store-role) the value is an `acc` fragment.
    * (store-element) the rows are bf16 or f32, one a pair.
  }];
  let arguments = (ins Tile_FragType:$value, Moe_RowsType:$dest,
                       Tile_BlockRowsType:$rows, Index:$n);
  let assemblyFormat = "$value `,` $dest `[` $rows `,` $n `]` attr-dict `:` type($value) `,` type($dest)";
  let hasVerifier = 1;
}

#endif // MOEC_DIALECTS_TILE_TD
