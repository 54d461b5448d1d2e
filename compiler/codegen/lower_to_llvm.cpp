// Passes from rocdl to llvm; see lower_to_llvm.h.

#include "compiler/codegen/lower_to_llvm.h"

#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "compiler/codegen/expand_math.h"
#include "dialects/target/target.h"

using namespace mlir;

namespace {

/// Kernel arguments are what the bundle's launch plans can bind.
LogicalResult checkArguments(FunctionOpInterface function) {
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (!isa<LLVM::LLVMPointerType>(type) && !type.isInteger(32) &&
        !type.isInteger(64) && !type.isF32())
      return function.emitError()
             << "kernel argument " << index << " has type " << type
             << "; expected !llvm.ptr<1>, i32, i64 or f32";
  return success();
}

/// Everything below `device` is in a dialect that translates to LLVM IR.
/// Reports the first op that is not: the others tend to follow from it.
LogicalResult checkConverted(Operation *device) {
  WalkResult result = device->walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (op == device || dialect == "llvm" || dialect == "rocdl" ||
        op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    op->emitError() << "'" << op->getName()
                    << "' has no conversion to LLVM in a kernel";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Symbols that no one defines: without a device library a call to them can
/// only fail at link time, without a location.
LogicalResult checkDefined(Operation *device) {
  bool ok = true;
  device->walk([&](LLVM::CallOp call) {
    auto callee = call.getCallee();
    if (!callee || callee->starts_with("llvm."))
      return;
    auto function = SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
        call, call.getCalleeAttr());
    if (function && !function.isExternal())
      return;
    ok = false;
    call.emitError() << "call of '" << *callee
                     << "', which has no definition: no device library is "
                        "linked";
  });
  device->walk([&](Operation *op) {
    // These read the dispatch packet or hidden arguments, which the runtime
    // does not fill in.
    StringRef name = op->getName().getStringRef();
    if (!name.starts_with("rocdl.grid.dim.") &&
        !name.starts_with("rocdl.workgroup.dim."))
      return;
    ok = false;
    op->emitError() << "'" << name
                    << "' is not available: give the kernel a "
                       "known_block_size, and pass grid sizes as arguments";
  });
  return success(ok);
}

} // namespace

Operation *moec::findDeviceModule(ModuleOp module) {
  auto modules = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (modules.size() == 1)
    return modules.front();
  if (modules.empty() && !module.getOps<LLVM::LLVMFuncOp>().empty())
    return module;
  module.emitError() << "expected one gpu.module with the kernels of one code "
                        "object, found "
                     << modules.size();
  return nullptr;
}

LogicalResult moec::checkLegality(Operation *device, StringRef chip) {
  bool ok = true;
  const Target *target = findTarget(chip);
  device->walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    for (std::string_view absent : target->absentOps)
      if (name.starts_with(absent)) {
        ok = false;
        op->emitError() << "'" << name << "' is not an instruction of " << chip;
      }
    if (auto function = dyn_cast<gpu::GPUFuncOp>(op))
      if (function.isKernel() && failed(checkArguments(function)))
        ok = false;
  });
  return success(ok);
}

LogicalResult moec::lowerToLlvm(Operation *device, StringRef chip) {
  if (failed(expandMath(device)))
    return failure();
  PassManager manager(device->getContext(), device->getName().getStringRef());
  // The verifier runs on what the author wrote (the parser does it) and on
  // what is translated; not after every upstream pass.
  manager.enableVerifier(false);
  manager.addPass(createCSEPass());
  manager.addPass(createSCFToControlFlowPass());
  if (isa<gpu::GPUModuleOp>(device)) {
    ConvertGpuOpsToROCDLOpsOptions options;
    options.chipset = chip.str();
    options.indexBitwidth = 32; // Addresses are !llvm.ptr with i64 offsets.
    options.runtime = gpu::amd::Runtime::HIP;
    manager.addPass(createConvertGpuOpsToROCDLOps(options));
  }
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCSEPass()); // Drops what the conversions left unused.
  if (failed(manager.run(device)) || failed(checkConverted(device)))
    return failure();
  return checkDefined(device);
}
