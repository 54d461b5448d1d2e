// compile_support_kernel IN.mlir CHIP OUT.hsaco: one module of rung `rocdl` to
// a code object.
//
// The tests of the support kernels need code objects at build time, before the
// tools exist; this is code generation alone, without problems or bundles. It
// refuses spills: these kernels are latency bound.

#include "compiler/codegen/codegen.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  if (argc != 4) {
    llvm::errs() << "usage: compile_support_kernel IN.mlir CHIP OUT.hsaco\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  moec::registerCodegenDialects(registry);
  mlir::MLIRContext context(registry);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(argv[1], sources, &context);
  if (!module)
    return 1;

  moec::CodegenOptions options;
  options.chip = argv[2];
  moec::CodeObject code;
  moec::CodegenFailure failure;
  if (mlir::failed(moec::generateCode(*module, options, code, failure)))
    return failure.status;
  for (const moec::KernelInfo &kernel : code.kernels)
    if (kernel.vgprSpills || kernel.sgprSpills || kernel.scratchBytes) {
      llvm::errs() << argv[1] << ": kernel '" << kernel.name << "' on "
                   << options.chip << ": expected no spills and no scratch, "
                   << "found " << kernel.vgprSpills << " VGPR and "
                   << kernel.sgprSpills << " SGPR spills, "
                   << kernel.scratchBytes << " bytes of scratch\n";
      return 1;
    }

  std::error_code error;
  llvm::raw_fd_ostream out(argv[3], error);
  out << code.hsaco;
  out.close();
  if (error || out.has_error()) {
    llvm::errs() << argv[3] << ": cannot write: "
                 << (error ? error : out.error()).message() << "\n";
    out.clear_error();
    return 3;
  }
  return 0;
}
