// Drives one module from rung `rocdl` to the rung asked for; see codegen.h.

#include "compiler/codegen/codegen.h"

#include "compiler/codegen/emit.h"
#include "compiler/codegen/guard.h"
#include "compiler/codegen/link.h"
#include "compiler/codegen/lower_to_llvm.h"
#include "compiler/codegen/reproducer.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;

namespace {

constexpr int contentError = 1, unsupportedError = 4, internalError = 70;

/// Milliseconds since the last call of lap().
class Stopwatch {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double ms = std::chrono::duration<double, std::milli>(now - last).count();
    last = now;
    return ms;
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// Argument names by kernel, from the attribute that carries them.
using ArgNames = llvm::StringMap<SmallVector<std::string>>;

ArgNames readArgNames(Operation *device) {
  ArgNames names;
  for (Operation &op : device->getRegion(0).front()) {
    auto symbol =
        op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    auto list = op.getAttrOfType<ArrayAttr>("arg_names");
    if (!symbol || !list)
      continue;
    for (auto name : list.getAsRange<StringAttr>())
      names[symbol.getValue()].push_back(name.str());
  }
  return names;
}

void nameArguments(std::vector<moec::KernelInfo> &kernels,
                   const ArgNames &names) {
  for (moec::KernelInfo &kernel : kernels) {
    auto known = names.find(kernel.name);
    for (auto [i, arg] : llvm::enumerate(kernel.args))
      arg.name = known != names.end() && i < known->second.size()
                     ? known->second[i]
                     : "arg" + std::to_string(i);
  }
}

/// The steps of generateCode() without the guard around them. Returns the
/// status, 0 if everything went well.
int generate(ModuleOp module, Operation *device,
             const moec::CodegenOptions &options, moec::CodeObject &result) {
  Stopwatch watch;
  ArgNames names = readArgNames(device);
  if (failed(moec::checkLegality(device, options.chip)))
    return unsupportedError;
  if (failed(moec::lowerToLlvm(device, options.chip)))
    return contentError;
  result.msPasses = watch.lap();
  if (options.rung == moec::CodeRung::Llvm) {
    llvm::raw_string_ostream stream(result.llvmText);
    module.print(stream);
    return 0;
  }

  moec::EmitResult emitted = moec::emitMachineCode(device, options);
  result.msLlvm = watch.lap();
  if (!emitted.error.empty()) {
    device->emitError() << "the AMDGPU backend refuses this code: "
                        << emitted.error;
    return unsupportedError;
  }
  if (options.rung == moec::CodeRung::Asm) {
    result.asmText = std::move(emitted.output);
    return 0;
  }

  std::string error = moec::linkCodeObject(emitted.output, result.hsaco);
  if (error.empty())
    error = moec::readKernelInfo(result.hsaco, result.kernels);
  result.msLink = watch.lap();
  nameArguments(result.kernels, names);
  if (error.empty())
    return 0;
  device->emitError() << "linking failed: " << error;
  return internalError;
}

} // namespace

void moec::registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<amdgpu::AMDGPUDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  ROCDL::ROCDLDialect, scf::SCFDialect, ub::UBDialect,
                  vector::VectorDialect>();
  // convert-gpu-to-rocdl asks each dialect for its patterns.
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
}

llvm::LogicalResult moec::generateCode(ModuleOp module,
                                       const CodegenOptions &options,
                                       CodeObject &result,
                                       CodegenFailure &failureOut) {
  Operation *device = findDeviceModule(module);
  failureOut.status = contentError;
  if (!device)
    return failure();
  // For the reproducer: the module itself cannot be trusted after a crash.
  // (A copy takes a tenth of the time of printing it.)
  OwningOpRef<ModuleOp> copy = module.clone();
  Location loc = device->getLoc();
  int status = 0;
  std::string why =
      runGuarded([&] { status = generate(module, device, options, result); });
  if (!why.empty()) {
    status = internalError;
    emitError(loc) << "internal error while generating code for '"
                   << options.name << "': " << why;
  }
  failureOut.status = status;
  if (status == 0)
    return success();
  result = {};
  if (status != internalError)
    return failure();
  std::string text;
  (void)runGuarded([&] {
    llvm::raw_string_ostream stream(text);
    copy->print(stream);
  });
  (void)copy.release();
  failureOut.reproducer = writeReproducer(
      text, options.name, options.chip, why.empty() ? "the linker failed" : why,
      options.reproducerDir);
  return failure();
}
