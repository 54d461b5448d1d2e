// Scalar operations of a stage's body, on all elements of a batch at once.
#pragma once

#include "mlir/IR/Operation.h"

#include <string>
#include <vector>

namespace moec::reference {

/// One scalar SSA value for every (pair, channel) of a batch; i1 is 0 or 1.
using Batch = std::vector<double>;

/// Evaluates `op`, whose operands are `operands`, on `size` elements. Returns
/// an empty string, or why it cannot. Operations with operands that are no
/// scalars (contract, router_weight) are the caller's.
std::string evaluateScalar(mlir::Operation *op,
                           const std::vector<const Batch *> &operands,
                           size_t size, Batch &result);

/// `value` rounded to nearest even in the float type `type`, NaN kept.
float roundTo(mlir::Type type, double value);

} // namespace moec::reference
