// Scalar operations of the moe dialect as arith and math.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace moec {

/// Clones `op` of a stage's body at `builder`'s insertion point, with moe
/// activations written out in f32 arithmetic that the GPU does in few
/// instructions: one exponential and one reciprocal each, within 4 ulp.
void cloneScalar(mlir::OpBuilder &builder, mlir::Operation &op,
                 mlir::IRMapping &mapping);

} // namespace moec
