// The part of the HIP C API that hipsim exports: types, numbers, signatures.
//
// Written from HIP's published interface (ROCm 6); layouts and values are ABI
// and checked by static_asserts and tests. Not a replacement for HIP's headers.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

typedef enum hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorNotInitialized = 3,
  hipErrorInvalidConfiguration = 9,
  hipErrorInvalidSymbol = 13,
  hipErrorInvalidDevicePointer = 17,
  hipErrorInvalidMemcpyDirection = 21,
  hipErrorInvalidDeviceFunction = 98,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidImage = 200,
  hipErrorInvalidContext = 201,
  hipErrorNoBinaryForGpu = 209,
  hipErrorInvalidKernelFile = 218,
  hipErrorFileNotFound = 301,
  hipErrorSharedObjectInitFailed = 303,
  hipErrorInvalidHandle = 400,
  hipErrorIllegalState = 401,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorIllegalAddress = 700,
  hipErrorLaunchOutOfResources = 701,
  hipErrorLaunchTimeOut = 702,
  hipErrorContextIsDestroyed = 709,
  hipErrorHostMemoryAlreadyRegistered = 712,
  hipErrorHostMemoryNotRegistered = 713,
  hipErrorLaunchFailure = 719,
  hipErrorNotSupported = 801,
  hipErrorStreamCaptureUnsupported = 900,
  hipErrorStreamCaptureInvalidated = 901,
  hipErrorUnknown = 999,
} hipError_t;

typedef enum hipMemcpyKind {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4,
} hipMemcpyKind;

typedef enum hipMemoryType {
  hipMemoryTypeUnregistered = 0,
  hipMemoryTypeHost = 1,
  hipMemoryTypeDevice = 2,
  hipMemoryTypeManaged = 3,
} hipMemoryType;

typedef enum hipStreamCaptureStatus {
  hipStreamCaptureStatusNone = 0,
  hipStreamCaptureStatusActive = 1,
  hipStreamCaptureStatusInvalidated = 2,
} hipStreamCaptureStatus;

typedef enum hipFunction_attribute {
  HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  HIP_FUNC_ATTRIBUTE_NUM_REGS = 4,
  HIP_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  HIP_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
} hipFunction_attribute;

typedef int hipDevice_t;
typedef void *hipDeviceptr_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef int hipDeviceAttribute_t;  ///< Values: deviceAttributes in device_api.cpp.
typedef int hipPointer_attribute;
typedef void (*hipHostFn_t)(void *);

typedef struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
  int isManaged;
  unsigned allocationFlags;
} hipPointerAttribute_t;

/// hipDeviceProp_t of hipGetDevicePropertiesR0600; fields that hipsim does not
/// fill stand for bytes only.
typedef struct hipDeviceProp_tR0600 {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated,
      canMapHostMemory, computeMode;
  int textures[40]; ///< maxTexture1D .. maxSurfaceCubemapLayered
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID,
      tccDriver, asyncEngineCount, unifiedAddressing, memoryClockRate,
      memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
      maxThreadsPerMultiProcessor, streamPrioritiesSupported,
      globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard,
      multiGpuBoardGroupID, hostNativeAtomicSupported,
      singleToDoublePrecisionPerfRatio, pageableMemoryAccess,
      concurrentManagedAccess, computePreemptionSupported,
      canUseHostPointerForRegisteredMem, cooperativeLaunch,
      cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
      maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostFeatures[13]; ///< hostRegisterSupported .. unifiedFunctionPointers
  int reserved[63];
  int hipReserved[32];
  char gcnArchName[256];
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate;
  unsigned arch;
  unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
  int cooperativeMultiDeviceUnmatched[4];
  int isLargeBar, asicRevision;
} hipDeviceProp_tR0600;

#define HIPSIM_EXPORT __attribute__((visibility("default")))
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)
#define HIP_LAUNCH_PARAM_END ((void *)0x03)

// Devices.
HIPSIM_EXPORT hipError_t hipInit(unsigned flags);
HIPSIM_EXPORT hipError_t hipDriverGetVersion(int *version);
HIPSIM_EXPORT hipError_t hipRuntimeGetVersion(int *version);
HIPSIM_EXPORT hipError_t hipGetDeviceCount(int *count);
HIPSIM_EXPORT hipError_t hipGetDevice(int *device);
HIPSIM_EXPORT hipError_t hipSetDevice(int device);
HIPSIM_EXPORT hipError_t hipDeviceGet(hipDevice_t *device, int ordinal);
HIPSIM_EXPORT hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device);
HIPSIM_EXPORT hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device);
HIPSIM_EXPORT hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device);
HIPSIM_EXPORT hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *properties, int device);
HIPSIM_EXPORT hipError_t hipDeviceSynchronize(void);
HIPSIM_EXPORT hipError_t hipDeviceReset(void);

// Errors.
HIPSIM_EXPORT const char *hipGetErrorName(hipError_t error);
HIPSIM_EXPORT const char *hipGetErrorString(hipError_t error);
HIPSIM_EXPORT hipError_t hipGetLastError(void);
HIPSIM_EXPORT hipError_t hipPeekAtLastError(void);

// Memory.
HIPSIM_EXPORT hipError_t hipMalloc(void **pointer, size_t bytes);
HIPSIM_EXPORT hipError_t hipFree(void *pointer);
HIPSIM_EXPORT hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipFreeAsync(void *pointer, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned flags);
HIPSIM_EXPORT hipError_t hipHostFree(void *pointer);
HIPSIM_EXPORT hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned flags);
HIPSIM_EXPORT hipError_t hipHostRegister(void *host, size_t bytes, unsigned flags);
HIPSIM_EXPORT hipError_t hipHostUnregister(void *host);
HIPSIM_EXPORT hipError_t hipMemcpy(void *dst, const void *src, size_t bytes, hipMemcpyKind kind);
HIPSIM_EXPORT hipError_t hipMemcpyAsync(void *dst, const void *src, size_t bytes, hipMemcpyKind kind, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t bytes, hipMemcpyKind kind, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void *src, size_t bytes);
HIPSIM_EXPORT hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t bytes);
HIPSIM_EXPORT hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes);
HIPSIM_EXPORT hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t bytes, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipMemset(void *dst, int value, size_t bytes);
HIPSIM_EXPORT hipError_t hipMemsetAsync(void *dst, int value, size_t bytes, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count);
HIPSIM_EXPORT hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count);
HIPSIM_EXPORT hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipMemGetInfo(size_t *available, size_t *total);
HIPSIM_EXPORT hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer);
HIPSIM_EXPORT hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t pointer);

// Streams and events.
HIPSIM_EXPORT hipError_t hipStreamCreate(hipStream_t *stream);
HIPSIM_EXPORT hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags);
HIPSIM_EXPORT hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority);
HIPSIM_EXPORT hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest);
HIPSIM_EXPORT hipError_t hipStreamDestroy(hipStream_t stream);
HIPSIM_EXPORT hipError_t hipStreamSynchronize(hipStream_t stream);
HIPSIM_EXPORT hipError_t hipStreamQuery(hipStream_t stream);
HIPSIM_EXPORT hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags);
HIPSIM_EXPORT hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status);
HIPSIM_EXPORT hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id);
HIPSIM_EXPORT hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);
HIPSIM_EXPORT hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *argument);
HIPSIM_EXPORT hipError_t hipEventCreate(hipEvent_t *event);
HIPSIM_EXPORT hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags);
HIPSIM_EXPORT hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipEventSynchronize(hipEvent_t event);
HIPSIM_EXPORT hipError_t hipEventQuery(hipEvent_t event);
HIPSIM_EXPORT hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop);
HIPSIM_EXPORT hipError_t hipEventDestroy(hipEvent_t event);

// Modules and launches.
HIPSIM_EXPORT hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
HIPSIM_EXPORT hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned count, int *options, void **values);
HIPSIM_EXPORT hipError_t hipModuleLoad(hipModule_t *module, const char *path);
HIPSIM_EXPORT hipError_t hipModuleUnload(hipModule_t module);
HIPSIM_EXPORT hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
HIPSIM_EXPORT hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes, hipModule_t module, const char *name);
HIPSIM_EXPORT hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute, hipFunction_t function);
HIPSIM_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t function, int blockSize, size_t dynamicLds);
HIPSIM_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned dynamicLds, hipStream_t stream, void **parameters, void **extra);

// hipsim's own.

/// The text of the last fault or refusal in this process; "" when there was
/// none. Valid until the next call on the same thread.
HIPSIM_EXPORT const char *hipsimLastReport(void);
/// Changes an option for later launches: "checks" (as HIPSIM_CHECKS) or "seed".
HIPSIM_EXPORT hipError_t hipsimSetOption(const char *name, const char *value);

/// Instructions (wave level) executed by finished workgroups of this process.
/// `struct_size` is set by the caller.
typedef struct hipsim_statistics {
  size_t struct_size;
  uint64_t scalar, scalar_memory, branch, control, vector, transcendental,
      matrix, lds, global, buffer, scratch;
  uint64_t waves, workgroups;
} hipsim_statistics;
HIPSIM_EXPORT int hipsimStatistics(hipsim_statistics *out);

} // extern "C"
