// tile -> rocdl: from one block's program to one lane's.
#pragma once

#include "runtime/base/status.h"

#include "dialects/target/target.h"
#include "dialects/tile/Tile.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace moec {

/// What a kernel argument is to the program argument it comes from.
enum class ArgumentRole {
  Rows,          ///< Pointer to the rows of an activation matrix.
  Values,        ///< Pointer to packed weights, layout kWeightsLayout.
  Scales,        ///< Pointer to their scales.
  SortedIds,     ///< Pointer to i32 (slot << 24 | token), 16 rows a block.
  ExpertIds,     ///< Pointer to i32, one a block.
  NumValid,      ///< Pointer to i32: padded rows.
  RouterWeights, ///< Pointer to f32 [tokens, topk].
  Tokens,        ///< i32.
};

struct KernelArgument {
  unsigned programArgument;
  ArgumentRole role;
};

/// The kernel's arguments in order, as the signature of `program` implies.
std::vector<KernelArgument> kernelArguments(mlir::tile::ProgramOp program);

/// Layout of the weights that the lowering reads (runtime/layer/layouts).
constexpr const char *kWeightsLayout = "i4r3.v1";

/// Why the lowering cannot read weights of this (bound) type, "" if it can.
std::string unsupportedWeights(mlir::moe::ExpertsType type);

/// Builds a gpu.module with one kernel of the program's name at `builder`'s
/// insertion point. Pre: `program` verifies. Post: only upstream dialects.
/// On failure: a diagnostic at the operation, and its code.
ErrorCode tileToRocdl(mlir::tile::ProgramOp program, mlir::OpBuilder &builder);

} // namespace moec
