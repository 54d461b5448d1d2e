// Rung `rocdl` to rung `llvm`: upstream passes, and the checks that must come
// before them because LLVM would abort instead of reporting.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir {
class ModuleOp;
class Operation;
} // namespace mlir

namespace moec {

/// The operation to translate: the only gpu.module of `module`, or `module`
/// itself if it holds llvm.func directly. Null with an error otherwise.
mlir::Operation *findDeviceModule(mlir::ModuleOp module);

/// Checks that everything in `device` exists on `chip`, with an error at each
/// op that does not (status 4).
llvm::LogicalResult checkLegality(mlir::Operation *device,
                                  llvm::StringRef chip);

/// Before: kernels in the dialects that codegen.h lists, checked by
/// checkLegality(). After: llvm and rocdl only, with no call left that has no
/// definition. Errors carry the location of the op.
llvm::LogicalResult lowerToLlvm(mlir::Operation *device, llvm::StringRef chip);

} // namespace moec
