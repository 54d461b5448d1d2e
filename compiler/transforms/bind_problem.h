// Binds the symbols of stages and layers to the numbers of a problem.
#pragma once

#include "runtime/base/problem.h"

#include "dialects/moe/Moe.h"
#include "mlir/IR/BuiltinOps.h"

namespace moec {

/// Replaces H, I, E and K in every type of `module`, and gives quantised
/// formats without a group the problem's.
///
/// Pre: the module verifies. Post: every size and group is bound.
///
/// Errors are diagnostics at the stage or layer; the code says what kind:
/// Usage for a symbol that no problem binds or a size that is missing; Content
/// when a stage writes a group or a scale type and the problem another.
ErrorCode bindProblem(mlir::ModuleOp module, const Problem &problem);

/// What stages say of themselves before any problem is known, as JSON: an
/// array of {"stage", "element", "group" (0 when the problem gives it),
/// "scale", "projections", "x": "token"|"pair", "result": "token"|"pair",
/// "channels": "I", "depth": "H"}.
std::string describeStages(mlir::ModuleOp module);

} // namespace moec
