// LLVM IR, optimiser and backend; see emit.h. The only file that includes
// LLVM's code generation headers.

#include "compiler/codegen/emit.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

#include <mutex>

// Debian's LLVM has every target; only this one is wanted.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser(); // For inline assembly.
}

using namespace llvm;

namespace {

constexpr StringLiteral triple = "amdgcn-amd-amdhsa";

/// Metadata format of the code objects: version 5, as 100 * major. MLIR's own
/// default is 6, which older drivers refuse.
constexpr uint32_t codeObjectVersion = 500;

/// Collects what LLVM reports; its own handler would exit() on an error.
struct CollectingHandler : DiagnosticHandler {
  CollectingHandler(mlir::Location loc, std::string &errors)
      : loc(loc), errors(errors) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error && info.getSeverity() != DS_Warning)
      return true;
    std::string text;
    raw_string_ostream stream(text);
    DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    if (info.getSeverity() == DS_Warning)
      mlir::emitWarning(loc) << text;
    else
      errors += (errors.empty() ? "" : "; ") + text;
    return true;
  }
  mlir::Location loc;
  std::string &errors;
};

std::unique_ptr<TargetMachine>
createMachine(const moec::CodegenOptions &options, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
  });
  Triple parsed(triple);
  const Target *target = TargetRegistry::lookupTarget(parsed, error);
  if (!target)
    return nullptr;
  TargetOptions targetOptions;
  targetOptions.MCOptions.AsmVerbose = true; // Loops are named in assembly.
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      parsed, options.chip, options.features, targetOptions, Reloc::PIC_,
      std::nullopt, CodeGenOptLevel::Aggressive));
}

void optimise(Module &module, TargetMachine &machine) {
  PipelineTuningOptions tuning;
  // Lowering decides what is a vector and what is unrolled. SLP merges scalar
  // fmas across a loop and costs registers; unrolling costs compile time.
  tuning.SLPVectorization = false;
  tuning.LoopVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.LoopUnrolling = false;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  // The default pipeline holds amdgpu-attributor, without which loops carry
  // moves between the two halves of the register file.
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
}

} // namespace

moec::EmitResult moec::emitMachineCode(mlir::Operation *device,
                                       const CodegenOptions &options) {
  EmitResult result;
  LLVMContext context;
  context.setDiagnosticHandler(
      std::make_unique<CollectingHandler>(device->getLoc(), result.error));
  auto machine = createMachine(options, result.error);
  if (!machine) {
    if (result.error.empty())
      result.error = "no backend for " + options.chip;
    return result;
  }
  auto module = mlir::translateModuleToLLVMIR(device, context, options.name);
  if (!module) {
    if (result.error.empty())
      result.error = "cannot be translated to LLVM IR";
    return result;
  }
  module->setTargetTriple(Triple(triple));
  module->setDataLayout(machine->createDataLayout());
  if (!module->getModuleFlag("amdhsa_code_object_version"))
    module->addModuleFlag(Module::Error, "amdhsa_code_object_version",
                          codeObjectVersion);
  optimise(*module, *machine);

  SmallVector<char, 0> buffer;
  raw_svector_ostream stream(buffer);
  legacy::PassManager manager;
  auto fileType = options.rung == CodeRung::Asm ? CodeGenFileType::AssemblyFile
                                                : CodeGenFileType::ObjectFile;
  if (machine->addPassesToEmitFile(manager, stream, nullptr, fileType)) {
    result.error = "the backend cannot emit this kind of file";
    return result;
  }
  manager.run(*module);
  result.output.assign(buffer.begin(), buffer.end());
  return result;
}
