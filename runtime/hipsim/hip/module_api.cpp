// Modules, functions and kernel launches.
#include "runtime/hipsim/hip/runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace hipsim;

namespace {

uint64_t read64(const uint8_t *p) {
  uint64_t value;
  std::memcpy(&value, p, 8);
  return value;
}

/// The length of the ELF at `image`: hipModuleLoadData is not told. The
/// section header table is the last thing that the linkers of AMDGPU code
/// write; segments and sections that reach further extend it.
size_t elfSize(const uint8_t *image) {
  uint64_t end = 64;
  auto reach = [&](uint64_t offset, uint64_t bytes) {
    if (offset <= (1ull << 32) && bytes <= (1ull << 32))
      end = std::max(end, offset + bytes);
  };
  uint16_t phSize, phCount, shSize, shCount;
  std::memcpy(&phSize, image + 54, 2);
  std::memcpy(&phCount, image + 56, 2);
  std::memcpy(&shSize, image + 58, 2);
  std::memcpy(&shCount, image + 60, 2);
  uint64_t phOffset = read64(image + 32), shOffset = read64(image + 40);
  reach(phOffset, uint64_t(phSize) * phCount);
  reach(shOffset, uint64_t(shSize) * shCount);
  for (uint16_t i = 0; i < phCount && phSize >= 56; ++i) {
    const uint8_t *segment = image + phOffset + uint64_t(i) * phSize;
    reach(read64(segment + 8), read64(segment + 32));
  }
  return end;
}

hipError_t load(hipModule_t *module, const void *image, size_t size) {
  Runtime &runtime = Runtime::get();
  std::string error;
  auto program = Program::load(image, size, runtime.arch, currentDevice,
                               runtime.memory, error);
  if (!program) {
    runtime.report("hipsim: the code object cannot be loaded: " + error + "\n");
    CodeObject object;
    std::string ignored;
    // Well formed but for another processor has an error code of its own.
    bool foreign = loadCodeObject(image, size, object, ignored);
    return finish(foreign ? hipErrorNoBinaryForGpu : hipErrorInvalidImage);
  }
  auto *made = new ihipModule_t;
  made->device = currentDevice;
  made->program = std::move(program);
  std::lock_guard lock(runtime.handles);
  runtime.modules.insert(made);
  *module = made;
  return finish(hipSuccess);
}

bool isModule(hipModule_t module) {
  Runtime &runtime = Runtime::get();
  std::lock_guard lock(runtime.handles);
  return runtime.modules.count(module) != 0;
}
bool isFunction(hipFunction_t function) {
  Runtime &runtime = Runtime::get();
  std::lock_guard lock(runtime.handles);
  return runtime.functions.count(function) != 0;
}

} // namespace

hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  if (!module || !image)
    return finish(hipErrorInvalidValue);
  *module = nullptr;
  const auto *bytes = static_cast<const uint8_t *>(image);
  if (std::memcmp(bytes, "\x7f" "ELF", 4) != 0) {
    Runtime::get().report("hipsim: the image does not start with an ELF header\n");
    return finish(hipErrorInvalidImage);
  }
  return load(module, image, elfSize(bytes));
}

hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned,
                               int *, void **) {
  return hipModuleLoadData(module, image);
}

hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
  if (!module || !path)
    return finish(hipErrorInvalidValue);
  *module = nullptr;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return finish(hipErrorFileNotFound);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  return load(module, bytes.data(), bytes.size());
}

hipError_t hipModuleUnload(hipModule_t module) {
  Runtime &runtime = Runtime::get();
  {
    std::lock_guard lock(runtime.handles);
    if (runtime.modules.erase(module) == 0)
      return finish(hipErrorInvalidHandle);
    for (const auto &function : module->functions)
      runtime.functions.erase(function.get());
  }
  runtime.devices[module->device]->waitAll();
  delete module;
  return finish(hipSuccess);
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module,
                                const char *name) {
  if (!function || !name)
    return finish(hipErrorInvalidValue);
  *function = nullptr;
  if (!isModule(module))
    return finish(hipErrorInvalidHandle);
  const KernelDescriptor *kernel = module->program->findKernel(name);
  if (!kernel) {
    std::string known;
    for (const KernelDescriptor &k : module->program->object().kernels)
      known += (known.empty() ? "" : ", ") + k.name;
    Runtime::get().report("hipsim: no kernel named '" + std::string(name) +
                          "' in the module; it has: " + known + "\n");
    return finish(hipErrorNotFound);
  }
  Runtime &runtime = Runtime::get();
  std::lock_guard lock(runtime.handles);
  for (const auto &f : module->functions)
    if (f->kernel == kernel) {
      *function = f.get();
      return finish(hipSuccess);
    }
  auto made = std::make_unique<ihipModuleSymbol_t>();
  made->program = module->program;
  made->kernel = kernel;
  *function = made.get();
  runtime.functions.insert(made.get());
  module->functions.push_back(std::move(made));
  return finish(hipSuccess);
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes,
                              hipModule_t module, const char *name) {
  if (!name)
    return finish(hipErrorInvalidValue);
  if (!isModule(module))
    return finish(hipErrorInvalidHandle);
  uint64_t address, size;
  if (!module->program->findGlobal(name, address, size))
    return finish(hipErrorNotFound);
  if (pointer)
    *pointer = reinterpret_cast<void *>(address);
  if (bytes)
    *bytes = size;
  return finish(hipSuccess);
}

hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute,
                               hipFunction_t function) {
  if (!value)
    return finish(hipErrorInvalidValue);
  if (!isFunction(function))
    return finish(hipErrorInvalidDeviceFunction);
  const KernelDescriptor &k = *function->kernel;
  uint32_t limit = ldsLimit(Runtime::get().arch);
  switch (attribute) {
  case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = k.maxFlatWorkgroupSize ? int(k.maxFlatWorkgroupSize) : 1024;
    break;
  case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = int(k.groupSegmentBytes); break;
  case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = int(k.privateSegmentBytes); break;
  case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = int(k.vgprs); break;
  case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = Runtime::get().arch == Arch::Gfx942 ? 94 : 95;
    break;
  case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = int(limit - std::min(limit, k.groupSegmentBytes));
    break;
  case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
  case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
  case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *value = 0;
    break;
  default: return finish(hipErrorInvalidValue);
  }
  return finish(hipSuccess);
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, hipFunction_t function, int blockSize, size_t dynamicLds) {
  if (!blocks || blockSize <= 0 || blockSize > 1024)
    return finish(hipErrorInvalidValue);
  if (!isFunction(function))
    return finish(hipErrorInvalidDeviceFunction);
  // A CU has 4 SIMDs of up to 8 waves, 512 registers a lane each.
  const KernelDescriptor &k = *function->kernel;
  uint32_t wavesPerSimd = std::min(8u, 512 / std::max(8u, k.vgprs));
  uint32_t waves = (uint32_t(blockSize) + laneCount - 1) / laneCount;
  uint32_t count = wavesPerSimd * 4 / waves;
  size_t lds = k.groupSegmentBytes + dynamicLds;
  if (lds)
    count = uint32_t(std::min<size_t>(count, ldsLimit(Runtime::get().arch) / lds));
  *blocks = int(count);
  return finish(hipSuccess);
}
