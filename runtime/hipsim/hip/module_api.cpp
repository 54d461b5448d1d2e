// Modules, functions and kernel launches.
#include "runtime/hipsim/hip/capture.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

using namespace hipsim;

namespace {

/// Bytes that a caller claims to have, read so that an unreadable page is an
/// answer and not a signal: the system copies them into a file of memory.
class Readable {
public:
  Readable() : fd(memfd_create("hipsim", MFD_CLOEXEC)) {}
  ~Readable() {
    if (fd >= 0)
      close(fd);
  }
  /// Up to `bytes` from `from`; fewer when the rest cannot be read.
  std::vector<uint8_t> read(const void *from, size_t bytes) const {
    size_t done = 0;
    while (done < bytes) {
      ssize_t n = pwrite(fd, static_cast<const char *>(from) + done, bytes - done, off_t(done));
      if (n <= 0)
        break;
      done += size_t(n);
    }
    std::vector<uint8_t> copy(done);
    for (size_t got = 0; got < done;) {
      ssize_t n = pread(fd, copy.data() + got, done - got, off_t(got));
      if (n <= 0)
        return {};
      got += size_t(n);
    }
    return copy;
  }

private:
  int fd;
};

template <class T> T field(const std::vector<uint8_t> &bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// The ELF at `image`, whose length hipModuleLoadData is not told. The section
/// header table is the last thing that the linkers of AMDGPU code write;
/// segments that reach further extend it.
std::vector<uint8_t> readElf(const void *image) {
  constexpr uint64_t largest = 1ull << 31;
  Readable memory;
  std::vector<uint8_t> header = memory.read(image, 64);
  if (header.size() < 64)
    return header;
  uint64_t end = 64;
  auto reach = [&](uint64_t offset, uint64_t bytes) {
    if (offset <= largest && bytes <= largest)
      end = std::max(end, offset + bytes);
  };
  uint64_t phOffset = field<uint64_t>(header, 32);
  uint64_t phSize = field<uint16_t>(header, 54), phCount = field<uint16_t>(header, 56);
  reach(phOffset, phSize * phCount);
  reach(field<uint64_t>(header, 40),
        uint64_t(field<uint16_t>(header, 58)) * field<uint16_t>(header, 60));
  if (phOffset <= largest && phSize >= 56) {
    auto table = memory.read(static_cast<const char *>(image) + phOffset, phSize * phCount);
    for (size_t i = 0; i + phSize <= table.size(); i += phSize)
      reach(field<uint64_t>(table, i + 8), field<uint64_t>(table, i + 32));
  }
  return memory.read(image, std::min(end, largest));
}

hipError_t load(hipModule_t *module, const std::vector<uint8_t> &bytes) {
  Runtime &runtime = Runtime::get();
  std::string error;
  const void *image = bytes.data();
  size_t size = bytes.size();
  auto program = Program::load(image, size, runtime.arch, currentDevice,
                               runtime.memory, error);
  if (!program) {
    runtime.report("hipsim: the code object cannot be loaded: " + error + "\n");
    CodeObject object;
    std::string ignored;
    // Well formed but for another processor has an error code of its own.
    bool foreign = loadCodeObject(image, size, object, ignored);
    return foreign ? hipErrorNoBinaryForGpu : hipErrorInvalidImage;
  }
  auto *made = new ihipModule_t;
  made->device = currentDevice;
  made->program = std::move(program);
  std::lock_guard lock(runtime.handles);
  runtime.modules.insert(made);
  *module = made;
  return hipSuccess;
}

/// The bytes of a file; false when it is not one that can be read.
bool readFile(const char *path, std::vector<uint8_t> &bytes) {
  FILE *file = std::fopen(path, "rb");
  if (!file)
    return false;
  uint8_t part[65536];
  while (size_t n = std::fread(part, 1, sizeof(part), file))
    bytes.insert(bytes.end(), part, part + n);
  bool ok = !std::ferror(file); // Set for a folder, for instance.
  std::fclose(file);
  return ok;
}

/// Blocks of a kernel that one CU can hold: 4 SIMDs of up to 8 waves with 512
/// registers a lane each, handed out by 8; LDS is shared by all.
int residentBlocks(const KernelDescriptor &k, uint32_t blockSize, size_t dynamicLds) {
  size_t limit = ldsLimit(Runtime::get().arch), lds = k.groupSegmentBytes + dynamicLds;
  if (blockSize > (k.maxFlatWorkgroupSize ? k.maxFlatWorkgroupSize : 1024u) || lds > limit)
    return 0;
  uint32_t registers = (std::max(8u, k.vgprs) + 7) & ~7u;
  uint32_t wavesPerSimd = std::min(8u, 512 / registers);
  uint32_t waves = (blockSize + laneCount - 1) / laneCount;
  uint32_t count = wavesPerSimd * 4 / waves;
  return int(lds ? std::min<size_t>(count, limit / lds) : count);
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
  if (hipError_t error = checkUnsafeCall())
    return finish(error);
  try {
    std::vector<uint8_t> bytes = readElf(image);
    if (bytes.size() >= 64 && std::memcmp(bytes.data(), "\x7f" "ELF", 4) == 0)
      return finish(load(module, bytes));
  } catch (const std::bad_alloc &) {
    return finish(hipErrorOutOfMemory);
  }
  Runtime::get().report("hipsim: the image does not start with an ELF header\n");
  return finish(hipErrorInvalidImage);
}

hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned,
                               int *, void **) {
  return hipModuleLoadData(module, image);
}

hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
  if (!module || !path)
    return finish(hipErrorInvalidValue);
  *module = nullptr;
  if (hipError_t error = checkUnsafeCall())
    return finish(error);
  try {
    std::vector<uint8_t> bytes;
    if (!readFile(path, bytes))
      return finish(hipErrorFileNotFound);
    return finish(load(module, bytes));
  } catch (const std::bad_alloc &) {
    return finish(hipErrorOutOfMemory);
  }
}

hipError_t hipModuleUnload(hipModule_t module) {
  Runtime &runtime = Runtime::get();
  if (hipError_t error = checkUnsafeCall())
    return finish(error);
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
  made->device = module->device;
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
  if (!blocks || blockSize <= 0)
    return finish(hipErrorInvalidValue);
  if (!isFunction(function))
    return finish(hipErrorInvalidDeviceFunction);
  *blocks = residentBlocks(*function->kernel, uint32_t(blockSize), dynamicLds);
  return finish(hipSuccess);
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, hipFunction_t function, int blockSize, size_t dynamicLds, unsigned flags) {
  if (flags > 1)
    return finish(hipErrorInvalidValue);
  return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, blockSize,
                                                            dynamicLds);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize,
                                                   hipFunction_t function,
                                                   size_t dynamicLds, int blockSizeLimit) {
  if (!gridSize || !blockSize)
    return finish(hipErrorInvalidValue);
  if (!isFunction(function))
    return finish(hipErrorInvalidDeviceFunction);
  int units = 0, best = 0, limit = 0;
  (void)hipDeviceGetAttribute(&units, 63, int(function->device));
  (void)hipFuncGetAttribute(&limit, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
  if (blockSizeLimit > 0)
    limit = std::min(limit, blockSizeLimit);
  *blockSize = *gridSize = 0;
  // The largest block among those that keep the most work items resident.
  for (int size = limit; size > 0; size -= size % 64 ? size % 64 : 64) {
    int blocks = residentBlocks(*function->kernel, uint32_t(size), dynamicLds);
    if (blocks * size > best) {
      best = blocks * size;
      *blockSize = size;
      *gridSize = blocks * units;
    }
  }
  return finish(hipSuccess);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
    int *gridSize, int *blockSize, hipFunction_t function, size_t dynamicLds,
    int blockSizeLimit, unsigned flags) {
  if (flags > 1)
    return finish(hipErrorInvalidValue);
  return hipModuleOccupancyMaxPotentialBlockSize(gridSize, blockSize, function, dynamicLds,
                                                 blockSizeLimit);
}
