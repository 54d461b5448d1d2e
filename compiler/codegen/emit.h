// Rung `llvm` to assembly or an object: LLVM's optimiser and AMDGPU backend.
#pragma once

#include "compiler/codegen/codegen.h"

#include <string>

namespace mlir {
class Operation;
} // namespace mlir

namespace moec {

/// What the backend says about code that it cannot compile, in its words.
struct EmitResult {
  std::string output; ///< Assembly text or a relocatable object.
  std::string error;  ///< Empty on success.
};

/// Translates `device` (llvm and rocdl dialects) to LLVM IR, optimises and
/// emits it. Diagnostics of the translation go to the MLIR context.
EmitResult emitMachineCode(mlir::Operation *device,
                           const CodegenOptions &options);

} // namespace moec
