// Devices: count, properties, attributes.
#include "runtime/hipsim/hip/capture.h"
#include "runtime/hipsim/hip/ipc.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace hipsim;

// The ABI of ROCm 6's versioned structure.
static_assert(sizeof(hipDeviceProp_tR0600) == 1472);
static_assert(offsetof(hipDeviceProp_tR0600, totalGlobalMem) == 288);
static_assert(offsetof(hipDeviceProp_tR0600, warpSize) == 308);
static_assert(offsetof(hipDeviceProp_tR0600, major) == 360);
static_assert(offsetof(hipDeviceProp_tR0600, multiProcessorCount) == 388);
static_assert(offsetof(hipDeviceProp_tR0600, textures) == 408);
static_assert(offsetof(hipDeviceProp_tR0600, surfaceAlignment) == 568);
static_assert(offsetof(hipDeviceProp_tR0600, l2CacheSize) == 616);
static_assert(offsetof(hipDeviceProp_tR0600, sharedMemPerMultiprocessor) == 640);
static_assert(offsetof(hipDeviceProp_tR0600, sharedMemPerBlockOptin) == 696);
static_assert(offsetof(hipDeviceProp_tR0600, reservedSharedMemPerBlock) == 720);
static_assert(offsetof(hipDeviceProp_tR0600, reserved) == 780);
static_assert(offsetof(hipDeviceProp_tR0600, gcnArchName) == 1160);
static_assert(offsetof(hipDeviceProp_tR0600, maxSharedMemoryPerMultiProcessor) == 1416);
static_assert(offsetof(hipDeviceProp_tR0600, isLargeBar) == 1464);
static_assert(sizeof(hipDeviceProp_tR0000) == 792);
static_assert(offsetof(hipDeviceProp_tR0000, totalConstMem) == 320);
static_assert(offsetof(hipDeviceProp_tR0000, maxSharedMemoryPerMultiProcessor) == 376);
static_assert(offsetof(hipDeviceProp_tR0000, gcnArchName) == 396);
static_assert(offsetof(hipDeviceProp_tR0000, memPitch) == 712);
static_assert(sizeof(hipPointerAttribute_t) == 32);

namespace {

/// The product that an architecture stands for.
struct Product {
  const char *name, *archName;
  int minor, computeUnits, clockKhz, memoryClockKhz, l2Bytes;
  size_t memoryBytes;
};
const Product &product() {
  static const Product products[] = {
      {"AMD Instinct MI300X (hipsim)", "gfx942:sramecc+:xnack-", 4, 304, 2100000,
       1300000, 4 << 20, 192ull << 30},
      {"AMD Instinct MI355X (hipsim)", "gfx950:sramecc+:xnack-", 5, 256, 2400000,
       1900000, 4 << 20, 288ull << 30},
  };
  return products[Runtime::get().arch == Arch::Gfx942 ? 0 : 1];
}

void fill(hipDeviceProp_tR0600 &p, int device) {
  const Product &product = ::product();
  p = {};
  std::strncpy(p.name, product.name, sizeof(p.name) - 1);
  std::strncpy(p.gcnArchName, product.archName, sizeof(p.gcnArchName) - 1);
  size_t lds = ldsLimit(Runtime::get().arch);
  p.totalGlobalMem = product.memoryBytes;
  p.sharedMemPerBlock = p.sharedMemPerMultiprocessor = lds;
  p.sharedMemPerBlockOptin = p.maxSharedMemoryPerMultiProcessor = lds;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = int(laneCount);
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = 1024;
  std::fill_n(p.maxThreadsDim, 3, 1024);
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = p.maxGridSize[2] = 65536;
  p.clockRate = product.clockKhz;
  p.memoryClockRate = product.memoryClockKhz;
  p.memoryBusWidth = 8192;
  p.totalConstMem = 0x7fffffff;
  p.major = 9;
  p.minor = product.minor;
  p.textureAlignment = p.texturePitchAlignment = p.surfaceAlignment = 256;
  p.multiProcessorCount = product.computeUnits;
  p.canMapHostMemory = p.concurrentKernels = p.ECCEnabled = 1;
  p.unifiedAddressing = p.cooperativeLaunch = p.isLargeBar = 1;
  p.asyncEngineCount = 1;
  p.streamPrioritiesSupported = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.hostFeatures[0] = 1; // hostRegisterSupported
  std::snprintf(p.uuid, sizeof(p.uuid), "hipsim-%08x", unsigned(device) + 1);
  p.arch = 0x1ffff & ~(1u << 14 | 1u << 16); // No surfaces, no launches by kernels.
  p.pciBusID = device + 1;
  p.l2CacheSize = product.l2Bytes;
  p.maxThreadsPerMultiProcessor = 2048;
  p.maxBlocksPerMultiProcessor = 32;
  p.clockInstructionRate = 100000;
}

void fill(hipDeviceProp_tR0000 &old, int device) {
  hipDeviceProp_tR0600 p;
  fill(p, device);
  old = {};
  std::memcpy(old.name, p.name, sizeof(old.name));
  std::memcpy(old.gcnArchName, p.gcnArchName, sizeof(old.gcnArchName));
#define HIPSIM_SAME(FIELD) old.FIELD = p.FIELD
  HIPSIM_SAME(totalGlobalMem), HIPSIM_SAME(sharedMemPerBlock), HIPSIM_SAME(regsPerBlock);
  HIPSIM_SAME(warpSize), HIPSIM_SAME(maxThreadsPerBlock), HIPSIM_SAME(clockRate);
  HIPSIM_SAME(memoryClockRate), HIPSIM_SAME(memoryBusWidth), HIPSIM_SAME(totalConstMem);
  HIPSIM_SAME(major), HIPSIM_SAME(minor), HIPSIM_SAME(multiProcessorCount);
  HIPSIM_SAME(l2CacheSize), HIPSIM_SAME(maxThreadsPerMultiProcessor);
  HIPSIM_SAME(clockInstructionRate), HIPSIM_SAME(arch), HIPSIM_SAME(concurrentKernels);
  HIPSIM_SAME(pciDomainID), HIPSIM_SAME(pciBusID), HIPSIM_SAME(pciDeviceID);
  HIPSIM_SAME(maxSharedMemoryPerMultiProcessor), HIPSIM_SAME(canMapHostMemory);
  HIPSIM_SAME(cooperativeLaunch), HIPSIM_SAME(memPitch), HIPSIM_SAME(textureAlignment);
  HIPSIM_SAME(texturePitchAlignment), HIPSIM_SAME(ECCEnabled), HIPSIM_SAME(isLargeBar);
#undef HIPSIM_SAME
  std::copy_n(p.maxThreadsDim, 3, old.maxThreadsDim);
  std::copy_n(p.maxGridSize, 3, old.maxGridSize);
  old.gcnArch = Runtime::get().arch == Arch::Gfx942 ? 942 : 950;
}

/// hipDeviceAttribute_t by number.
struct Attribute {
  int id;
  long long (*value)(const hipDeviceProp_tR0600 &);
};
#define HIPSIM_ATTRIBUTE(ID, EXPR)                                             \
  {ID, [](const hipDeviceProp_tR0600 &p) -> long long { return EXPR; }}
const Attribute deviceAttributes[] = {
    HIPSIM_ATTRIBUTE(0, p.ECCEnabled),
    HIPSIM_ATTRIBUTE(2, p.asyncEngineCount),
    HIPSIM_ATTRIBUTE(3, p.canMapHostMemory),
    HIPSIM_ATTRIBUTE(4, p.canUseHostPointerForRegisteredMem),
    HIPSIM_ATTRIBUTE(5, p.clockRate),
    HIPSIM_ATTRIBUTE(6, p.computeMode),
    HIPSIM_ATTRIBUTE(7, p.computePreemptionSupported),
    HIPSIM_ATTRIBUTE(8, p.concurrentKernels),
    HIPSIM_ATTRIBUTE(9, p.concurrentManagedAccess),
    HIPSIM_ATTRIBUTE(10, p.cooperativeLaunch),
    HIPSIM_ATTRIBUTE(11, p.cooperativeMultiDeviceLaunch),
    HIPSIM_ATTRIBUTE(12, p.asyncEngineCount),
    HIPSIM_ATTRIBUTE(13, p.directManagedMemAccessFromHost),
    HIPSIM_ATTRIBUTE(14, p.globalL1CacheSupported),
    HIPSIM_ATTRIBUTE(15, p.hostNativeAtomicSupported),
    HIPSIM_ATTRIBUTE(16, p.integrated),
    HIPSIM_ATTRIBUTE(17, p.isMultiGpuBoard),
    HIPSIM_ATTRIBUTE(18, p.kernelExecTimeoutEnabled),
    HIPSIM_ATTRIBUTE(19, p.l2CacheSize),
    HIPSIM_ATTRIBUTE(20, p.localL1CacheSupported),
    HIPSIM_ATTRIBUTE(23, p.major),
    HIPSIM_ATTRIBUTE(24, p.managedMemory),
    HIPSIM_ATTRIBUTE(25, p.maxBlocksPerMultiProcessor),
    HIPSIM_ATTRIBUTE(26, p.maxThreadsDim[0]),
    HIPSIM_ATTRIBUTE(27, p.maxThreadsDim[1]),
    HIPSIM_ATTRIBUTE(28, p.maxThreadsDim[2]),
    HIPSIM_ATTRIBUTE(29, p.maxGridSize[0]),
    HIPSIM_ATTRIBUTE(30, p.maxGridSize[1]),
    HIPSIM_ATTRIBUTE(31, p.maxGridSize[2]),
    HIPSIM_ATTRIBUTE(56, p.maxThreadsPerBlock),
    HIPSIM_ATTRIBUTE(57, p.maxThreadsPerMultiProcessor),
    HIPSIM_ATTRIBUTE(58, static_cast<long long>(p.memPitch)),
    HIPSIM_ATTRIBUTE(59, p.memoryBusWidth),
    HIPSIM_ATTRIBUTE(60, p.memoryClockRate),
    HIPSIM_ATTRIBUTE(61, p.minor),
    HIPSIM_ATTRIBUTE(62, p.multiGpuBoardGroupID),
    HIPSIM_ATTRIBUTE(63, p.multiProcessorCount),
    HIPSIM_ATTRIBUTE(65, p.pageableMemoryAccess),
    HIPSIM_ATTRIBUTE(66, p.pageableMemoryAccessUsesHostPageTables),
    HIPSIM_ATTRIBUTE(67, p.pciBusID),
    HIPSIM_ATTRIBUTE(68, p.pciDeviceID),
    HIPSIM_ATTRIBUTE(69, p.pciDomainID),
    HIPSIM_ATTRIBUTE(70, p.persistingL2CacheMaxSize),
    HIPSIM_ATTRIBUTE(71, p.regsPerBlock),
    HIPSIM_ATTRIBUTE(72, p.regsPerMultiprocessor),
    HIPSIM_ATTRIBUTE(73, p.reservedSharedMemPerBlock),
    HIPSIM_ATTRIBUTE(74, p.sharedMemPerBlock),
    HIPSIM_ATTRIBUTE(75, p.sharedMemPerBlockOptin),
    HIPSIM_ATTRIBUTE(76, p.sharedMemPerMultiprocessor),
    HIPSIM_ATTRIBUTE(77, p.singleToDoublePrecisionPerfRatio),
    HIPSIM_ATTRIBUTE(78, p.streamPrioritiesSupported),
    HIPSIM_ATTRIBUTE(79, static_cast<long long>(p.surfaceAlignment)),
    HIPSIM_ATTRIBUTE(80, p.tccDriver),
    HIPSIM_ATTRIBUTE(81, static_cast<long long>(p.textureAlignment)),
    HIPSIM_ATTRIBUTE(82, static_cast<long long>(p.texturePitchAlignment)),
    HIPSIM_ATTRIBUTE(83, static_cast<long long>(p.totalConstMem)),
    HIPSIM_ATTRIBUTE(84, static_cast<long long>(p.totalGlobalMem)),
    HIPSIM_ATTRIBUTE(85, p.unifiedAddressing),
    HIPSIM_ATTRIBUTE(87, p.warpSize),
    HIPSIM_ATTRIBUTE(88, 0), // Memory pools.
    HIPSIM_ATTRIBUTE(89, 0), // Virtual memory management.
    HIPSIM_ATTRIBUTE(90, 1), // Host registration.
    HIPSIM_ATTRIBUTE(10000, p.clockInstructionRate),
    HIPSIM_ATTRIBUTE(10002, p.maxSharedMemoryPerMultiProcessor),
    HIPSIM_ATTRIBUTE(10011, p.isLargeBar),
    HIPSIM_ATTRIBUTE(10012, p.asicRevision),
    HIPSIM_ATTRIBUTE(10013, 0), // hipStreamWaitValue.
    HIPSIM_ATTRIBUTE(10014, 0), // Images.
    HIPSIM_ATTRIBUTE(10015, p.multiProcessorCount),
    HIPSIM_ATTRIBUTE(10016, 1), // Fine-grained memory.
    HIPSIM_ATTRIBUTE(10017, p.clockInstructionRate),
    HIPSIM_ATTRIBUTE(10018, 8), // XCCs.
};

bool isDevice(int device) { return Runtime::get().isDevice(device); }

template <class P> hipError_t giveProperties(P *properties, int device) {
  if (!properties)
    return hipErrorInvalidValue;
  if (!isDevice(device))
    return hipErrorInvalidDevice;
  fill(*properties, device);
  return hipSuccess;
}

} // namespace

hipError_t hipInit(unsigned flags) {
  if (flags)
    return finish(hipErrorInvalidValue);
  return finish(Runtime::get().devices.empty() ? hipErrorNoDevice : hipSuccess);
}

hipError_t hipDriverGetVersion(int *version) {
  if (!version)
    return finish(hipErrorInvalidValue);
  *version = 60400000; // The interface of ROCm 6.4.
  return finish(hipSuccess);
}

hipError_t hipRuntimeGetVersion(int *version) { return hipDriverGetVersion(version); }

hipError_t hipGetDeviceCount(int *count) {
  if (!count)
    return finish(hipErrorInvalidValue);
  *count = int(Runtime::get().devices.size());
  return finish(*count ? hipSuccess : hipErrorNoDevice);
}

hipError_t hipGetDevice(int *device) {
  if (!device)
    return finish(hipErrorInvalidValue);
  *device = int(currentDevice);
  return finish(hipSuccess);
}

hipError_t hipSetDevice(int device) {
  if (!isDevice(device))
    return finish(hipErrorInvalidDevice);
  currentDevice = uint32_t(device);
  return finish(hipSuccess);
}

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
  if (!device)
    return finish(hipErrorInvalidValue);
  if (!isDevice(ordinal))
    return finish(hipErrorInvalidDevice);
  *device = ordinal;
  return finish(hipSuccess);
}

hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device) {
  if (!name || length <= 0)
    return finish(hipErrorInvalidValue);
  if (!isDevice(device))
    return finish(hipErrorInvalidDevice);
  std::strncpy(name, product().name, size_t(length) - 1);
  name[length - 1] = 0;
  return finish(hipSuccess);
}

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
  if (!bytes)
    return finish(hipErrorInvalidValue);
  if (!isDevice(device))
    return finish(hipErrorInvalidDevice);
  *bytes = product().memoryBytes;
  return finish(hipSuccess);
}

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
  if (!value)
    return finish(hipErrorInvalidValue);
  if (!isDevice(device))
    return finish(hipErrorInvalidDevice);
  hipDeviceProp_tR0600 properties;
  fill(properties, device);
  for (const Attribute &a : deviceAttributes)
    if (a.id == attribute) {
      *value = int(std::min<long long>(a.value(properties), 0x7fffffff));
      return finish(hipSuccess);
    }
  return finish(hipErrorInvalidValue);
}

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *properties, int device) {
  return finish(giveProperties(properties, device));
}

hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000 *properties, int device) {
  return finish(giveProperties(properties, device));
}

// The symbol of programs built before ROCm 6; newer headers rename the call.
hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *properties, int device) {
  return finish(giveProperties(properties, device));
}

hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
  if (!major || !minor)
    return finish(hipErrorInvalidValue);
  if (!isDevice(device))
    return finish(hipErrorInvalidDevice);
  *major = 9;
  *minor = product().minor;
  return finish(hipSuccess);
}

hipError_t hipDeviceGetPCIBusId(char *id, int length, int device) {
  if (!id || length < 13)
    return finish(hipErrorInvalidValue);
  if (!isDevice(device))
    return finish(hipErrorInvalidDevice);
  std::snprintf(id, size_t(length), "0000:%02x:00.0", unsigned(device) + 1);
  return finish(hipSuccess);
}

hipError_t hipDeviceGetByPCIBusId(int *device, const char *id) {
  unsigned domain, bus, slot, function;
  if (!device || !id ||
      std::sscanf(id, "%4x:%2x:%2x.%1x", &domain, &bus, &slot, &function) != 4)
    return finish(hipErrorInvalidValue);
  if (domain || slot || function || !isDevice(int(bus) - 1))
    return finish(hipErrorInvalidDevice);
  *device = int(bus) - 1;
  return finish(hipSuccess);
}

hipError_t hipDeviceSynchronize() {
  if (hipError_t error = checkNoCapture(hipErrorStreamCaptureUnsupported))
    return finish(error);
  return finish(Runtime::get().current().waitAll());
}

hipError_t hipDeviceReset() {
  if (hipError_t error = checkNoCapture(hipErrorStreamCaptureUnsupported))
    return finish(error);
  Runtime &runtime = Runtime::get();
  Device &device = runtime.current();
  runtime.waitAllDevices();
  forgetExportsOf(currentDevice);
  runtime.memory.releaseAll(currentDevice);
  device.setError(hipSuccess);
  device.reachable = 1ull << currentDevice;
  return finish(hipSuccess);
}
