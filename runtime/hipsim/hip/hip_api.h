// The part of the HIP C API that hipsim exports: types, numbers, signatures.
//
// Capture and graphs: hip_graph_api.h, included at the end. Enumerations have a
// fixed type: callers may pass any number, and get an error for it.
// Written from HIP's published interface (ROCm 6); layouts and values are ABI
// and checked by static_asserts and tests. Not a replacement for HIP's headers.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

typedef enum hipError_t : int {
#define HIPSIM_ERROR(NAME, CODE, TEXT) NAME = CODE,
#include "runtime/hipsim/hip/errors.def"
#undef HIPSIM_ERROR
} hipError_t;

typedef enum hipMemcpyKind : int {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4,
} hipMemcpyKind;

typedef enum hipMemoryType : int {
  hipMemoryTypeUnregistered = 0,
  hipMemoryTypeHost = 1,
  hipMemoryTypeDevice = 2,
  hipMemoryTypeManaged = 3,
} hipMemoryType;

typedef enum hipFunction_attribute : int {
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
typedef void (*hipStreamCallback_t)(hipStream_t, hipError_t, void *);

#define hipStreamDefault 0u
#define hipStreamNonBlocking 1u
#define hipStreamLegacy ((hipStream_t)1)
#define hipStreamPerThread ((hipStream_t)2)
#define hipEventDefault 0u
#define hipEventBlockingSync 1u
#define hipEventDisableTiming 2u
#define hipEventInterprocess 4u
#define hipIpcMemLazyEnablePeerAccess 1u

typedef struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
  int isManaged;
  unsigned allocationFlags;
} hipPointerAttribute_t;

typedef struct dim3 {
  uint32_t x, y, z;
} dim3;

// Rectangles of memory. Arrays (images) do not exist here: the fields that name
// one must be null.
typedef struct hipPos {
  size_t x, y, z;
} hipPos;
typedef struct hipExtent {
  size_t width, height, depth; ///< Bytes, rows, slices.
} hipExtent;
typedef struct hipPitchedPtr {
  void *ptr;
  size_t pitch, xsize, ysize;
} hipPitchedPtr;
typedef struct hipMemcpy3DParms {
  void *srcArray;
  hipPos srcPos;
  hipPitchedPtr srcPtr;
  void *dstArray;
  hipPos dstPos;
  hipPitchedPtr dstPtr;
  hipExtent extent;
  hipMemcpyKind kind;
} hipMemcpy3DParms;

/// Names memory to another process; opaque.
typedef struct hipIpcMemHandle_t {
  char reserved[64];
} hipIpcMemHandle_t;
typedef struct hipIpcEventHandle_t {
  char reserved[64];
} hipIpcEventHandle_t;

typedef enum hipDeviceP2PAttr : int {
  hipDevP2PAttrPerformanceRank = 0,
  hipDevP2PAttrAccessSupported = 1,
  hipDevP2PAttrNativeAtomicSupported = 2,
  hipDevP2PAttrHipArrayAccessSupported = 3,
} hipDeviceP2PAttr;

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

/// hipDeviceProp_t before ROCm 6: what the unversioned symbol fills.
typedef struct hipDeviceProp_tR0000 {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3],
      maxGridSize[3], clockRate, memoryClockRate, memoryBusWidth;
  size_t totalConstMem;
  int major, minor, multiProcessorCount, l2CacheSize,
      maxThreadsPerMultiProcessor, computeMode, clockInstructionRate;
  unsigned arch;
  int concurrentKernels, pciDomainID, pciBusID, pciDeviceID;
  size_t maxSharedMemoryPerMultiProcessor;
  int isMultiGpuBoard, canMapHostMemory, gcnArch;
  char gcnArchName[256];
  int integrated, cooperativeLaunch, cooperativeMultiDeviceLaunch;
  int textures[7]; ///< maxTexture1DLinear .. maxTexture3D
  unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
  size_t memPitch, textureAlignment, texturePitchAlignment;
  int kernelExecTimeoutEnabled, ECCEnabled, tccDriver,
      cooperativeMultiDeviceUnmatched[4], isLargeBar, asicRevision,
      managedMemory, directManagedMemAccessFromHost, concurrentManagedAccess,
      pageableMemoryAccess, pageableMemoryAccessUsesHostPageTables;
} hipDeviceProp_tR0000;

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
HIPSIM_EXPORT hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000 *properties, int device);
HIPSIM_EXPORT hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *properties, int device);
HIPSIM_EXPORT hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device);
HIPSIM_EXPORT hipError_t hipDeviceGetPCIBusId(char *id, int length, int device);
HIPSIM_EXPORT hipError_t hipDeviceGetByPCIBusId(int *device, const char *id);
HIPSIM_EXPORT hipError_t hipDeviceSynchronize(void);
HIPSIM_EXPORT hipError_t hipDeviceReset(void);

// Errors.
HIPSIM_EXPORT const char *hipGetErrorName(hipError_t error);
HIPSIM_EXPORT const char *hipGetErrorString(hipError_t error);
HIPSIM_EXPORT hipError_t hipGetLastError(void);
HIPSIM_EXPORT hipError_t hipPeekAtLastError(void);
HIPSIM_EXPORT hipError_t hipExtGetLastError(void);
HIPSIM_EXPORT hipError_t hipDrvGetErrorName(hipError_t error, const char **name);
HIPSIM_EXPORT hipError_t hipDrvGetErrorString(hipError_t error, const char **text);

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
HIPSIM_EXPORT hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
HIPSIM_EXPORT hipError_t hipMemcpy2D(void *dst, size_t dstPitch, const void *src, size_t srcPitch, size_t width, size_t height, hipMemcpyKind kind);
HIPSIM_EXPORT hipError_t hipMemcpy2DAsync(void *dst, size_t dstPitch, const void *src, size_t srcPitch, size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipMemcpy3D(const hipMemcpy3DParms *parameters);
HIPSIM_EXPORT hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *parameters, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height);
HIPSIM_EXPORT hipError_t hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count);
HIPSIM_EXPORT hipError_t hipMemsetD16Async(hipDeviceptr_t dst, unsigned short value, size_t count, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t pointer);
HIPSIM_EXPORT hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer);
HIPSIM_EXPORT hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t pointer);

// Several devices, and memory of other processes.
HIPSIM_EXPORT hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer);
HIPSIM_EXPORT hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags);
HIPSIM_EXPORT hipError_t hipDeviceDisablePeerAccess(int peer);
HIPSIM_EXPORT hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int source, int destination);
HIPSIM_EXPORT hipError_t hipMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t bytes);
HIPSIM_EXPORT hipError_t hipMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t bytes, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *pointer);
HIPSIM_EXPORT hipError_t hipIpcOpenMemHandle(void **pointer, hipIpcMemHandle_t handle, unsigned flags);
HIPSIM_EXPORT hipError_t hipIpcCloseMemHandle(void *pointer);
HIPSIM_EXPORT hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *handle, hipEvent_t event);
HIPSIM_EXPORT hipError_t hipIpcOpenEventHandle(hipEvent_t *event, hipIpcEventHandle_t handle);

// Streams and events.
HIPSIM_EXPORT hipError_t hipStreamCreate(hipStream_t *stream);
HIPSIM_EXPORT hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags);
HIPSIM_EXPORT hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority);
HIPSIM_EXPORT hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest);
HIPSIM_EXPORT hipError_t hipStreamDestroy(hipStream_t stream);
HIPSIM_EXPORT hipError_t hipStreamSynchronize(hipStream_t stream);
HIPSIM_EXPORT hipError_t hipStreamQuery(hipStream_t stream);
HIPSIM_EXPORT hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags);
HIPSIM_EXPORT hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);
HIPSIM_EXPORT hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags);
HIPSIM_EXPORT hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);
HIPSIM_EXPORT hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *argument, unsigned flags);
HIPSIM_EXPORT hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *argument);
HIPSIM_EXPORT hipError_t hipEventCreate(hipEvent_t *event);
HIPSIM_EXPORT hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags);
HIPSIM_EXPORT hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags);
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
HIPSIM_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, hipFunction_t function, int blockSize, size_t dynamicLds, unsigned flags);
HIPSIM_EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, hipFunction_t function, size_t dynamicLds, int blockSizeLimit);
HIPSIM_EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize, hipFunction_t function, size_t dynamicLds, int blockSizeLimit, unsigned flags);
HIPSIM_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned dynamicLds, hipStream_t stream, void **parameters, void **extra);
HIPSIM_EXPORT hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned dynamicLds, hipStream_t stream, void **parameters);

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

#include "runtime/hipsim/hip/hip_graph_api.h"
