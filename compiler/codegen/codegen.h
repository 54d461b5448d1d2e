// From the rung `rocdl` to a code object, in process.
//
// Input: a builtin.module with one or more gpu.module, each holding gpu.func
// kernels in upstream dialects (arith, math, scf, cf, vector, memref, gpu,
// amdgpu, rocdl, and llvm with !llvm.ptr addresses), or a module of llvm.func
// (rung `llvm`). Output: any later rung. Every failure is a diagnostic at a
// location and a code; LLVM can neither exit nor abort the process.
//
// A kernel's arguments are named by its attribute `arg_names = ["x", ...]`, as
// SSA names do not survive; without it they are "arg0", "arg1", ...
// `known_block_size` fixes the block. rocdl.* and passthrough attributes of a
// gpu.func reach LLVM unchanged.
//
// Nothing here knows a stage or a schedule, and no option of LLVM is set
// process-wide. Threads: any number of calls may run concurrently, each on a
// module of its own MLIRContext; only the link step takes a lock.
#pragma once

#include "llvm/Support/LogicalResult.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class MLIRContext;
class ModuleOp;
} // namespace mlir

namespace moec {

/// The last rung to produce.
enum class CodeRung { Llvm, Asm, Hsaco };

struct CodegenOptions {
  std::string chip; ///< "gfx942".
  std::string
      features; ///< LLVM feature string, e.g. "+sramecc,-xnack"; may be empty.
  CodeRung rung = CodeRung::Hsaco;
  std::string name = "kernel"; ///< What diagnostics and the reproducer call it.
  /// Folder for the reproducer of an internal failure; "" = the system's
  /// temporary folder.
  std::string reproducerDir;
};

/// A kernel argument as the code object's metadata states it.
struct KernelArgInfo {
  std::string name;
  uint32_t offset = 0;
  uint32_t size = 0;
};

/// A kernel as the code object's metadata states it.
struct KernelInfo {
  std::string name;                ///< Name of the gpu.func.
  std::string symbol;              ///< Kernel descriptor symbol ("<name>.kd").
  std::vector<KernelArgInfo> args; ///< Explicit arguments only.
  uint32_t kernargBytes = 0;
  uint32_t vgpr = 0, agpr = 0, sgpr = 0;
  uint32_t vgprSpills = 0, sgprSpills = 0;
  uint32_t ldsBytes = 0, scratchBytes = 0;
  uint32_t maxThreads = 0;       ///< Largest flat workgroup.
  uint32_t block[3] = {0, 0, 0}; ///< Required workgroup; zeros if none.
  uint32_t waveSize = 64;
};

struct CodeObject {
  std::string llvmText; ///< LLVM IR before optimisation (rung Llvm only).
  std::string asmText;  ///< Rung Asm only.
  std::string hsaco;    ///< Rung Hsaco only.
  std::vector<KernelInfo>
      kernels; ///< Rung Hsaco only, in the order of the symbols.
  double msPasses = 0, msLlvm = 0, msLink = 0;
};

/// Why code generation failed; the numbers are exit codes (compiler.h).
struct CodegenFailure {
  int status = 0; ///< 1 content, 4 unsupported by the chip, 70 internal.
  std::string reproducer; ///< Path of the file written, status 70 only.
};

/// Registers the dialects of the rungs `rocdl` and `llvm` and their
/// translations to LLVM IR. Call on the registry of every context used here.
void registerCodegenDialects(mlir::DialectRegistry &registry);

/// Lowers `module` in place and fills `result` up to `options.rung`. On failure
/// diagnostics have been emitted on the module's context and `failure` says of
/// what kind it was; after status 70 the module and its context may be in any
/// state and must be leaked, not destroyed.
llvm::LogicalResult generateCode(mlir::ModuleOp module,
                                 const CodegenOptions &options,
                                 CodeObject &result, CodegenFailure &failure);

/// Reads the kernels of a linked code object from its metadata note. Returns
/// an empty string, or why the note cannot be read.
std::string readKernelInfo(const std::string &hsaco,
                           std::vector<KernelInfo> &kernels);

} // namespace moec
