// Math without a device library: rewrites the math dialect so that LLVM's
// AMDGPU backend can select every op.
//
// The backend knows exp, exp2, log, log2, log10, sqrt, fma and the roundings;
// upstream lowers everything else (and exp2, floor, rsqrt, ...) to calls of
// ROCm's device library, which this project does not link. Which op is handled
// how is the table in expand_math.cpp. Nothing here depends on the chip.
#pragma once

#include "llvm/Support/LogicalResult.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace moec {

/// Before: math ops on f16, bf16, f32 or f64, scalar or vector. After: only
/// ops that convert to something the backend selects. Emits an error at each
/// op that has no expansion (status 4: valid, but not supported).
llvm::LogicalResult expandMath(mlir::Operation *root);

} // namespace moec
