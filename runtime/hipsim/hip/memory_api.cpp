// Allocation, copies and fills.
#include "runtime/hipsim/hip/capture.h"
#include "runtime/hipsim/hip/ipc.h"

#include <cstring>

using namespace hipsim;

namespace {

uint64_t address(const void *p) { return reinterpret_cast<uint64_t>(p); }

/// The calls that allocate at once cannot be captured.
hipError_t allocate(void **pointer, size_t bytes, MemoryKind kind, uint32_t device) {
  Runtime &runtime = Runtime::get();
  if (!pointer)
    return hipErrorInvalidValue;
  *pointer = nullptr;
  if (hipError_t error = runtime.devices[device]->error())
    return error;
  if (bytes == 0)
    return hipSuccess;
  *pointer = runtime.memory.allocate(bytes, kind, device, runtime.poison);
  return *pointer ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t allocateNow(void **pointer, size_t bytes, MemoryKind kind) {
  if (hipError_t error = checkUnsafeCall())
    return finish(error);
  return finish(allocate(pointer, bytes, kind, currentDevice));
}

/// `wait`: the call returns when it is done, and cannot be captured when it
/// uses the legacy stream.
struct Target {
  hipStream_t stream = nullptr;
  bool wait = true;
};

/// Common to copies and fills: finds the stream, queues, waits if asked to.
hipError_t run(const Target &target, bool pageable, auto what) {
  Runtime &runtime = Runtime::get();
  if (target.wait && target.stream == nullptr)
    if (hipError_t error = checkNoCapture(hipErrorStreamCaptureImplicit))
      return finish(error);
  ihipStream_t *stream;
  if (hipError_t error = streamForWork(target.stream, stream))
    return finish(error);
  Device &device = *runtime.devices[stream->device];
  if (hipError_t error = device.error())
    return finish(error);
  Enqueued queued = enqueue(*stream, makeWork(stream->device, what));
  if (queued.error || queued.captured)
    return finish(queued.error);
  // The caller may reuse pageable memory as soon as this returns.
  return finish(target.wait || pageable ? device.wait(queued.ticket) : hipSuccess);
}

/// A synchronous copy between devices follows what both of them have queued.
void waitForOwners(const void *dst, const void *src) {
  Runtime &runtime = Runtime::get();
  Allocation a;
  for (const void *pointer : {dst, src})
    if (runtime.memory.lookup(address(pointer), a) && a.device != currentDevice)
      runtime.devices[a.device]->waitAll();
}

hipError_t copy(CopyWork work, const Target &target) {
  if (hipError_t error = checkCopy(work))
    return finish(error);
  if (target.wait && captures().count == 0)
    waitForOwners(work.dst, work.src);
  return run(target, work.width && !(work.dstOurs && work.srcOurs), work);
}

hipError_t copy(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                const Target &target) {
  CopyWork work;
  work.dst = dst;
  work.src = src;
  work.width = bytes;
  work.kind = kind;
  return copy(work, target);
}

hipError_t copy2D(void *dst, size_t dstPitch, const void *src, size_t srcPitch,
                  size_t width, size_t height, hipMemcpyKind kind, const Target &target) {
  CopyWork work;
  work.dst = dst;
  work.src = src;
  work.width = width;
  work.height = height;
  work.dstPitch = dstPitch;
  work.srcPitch = srcPitch;
  work.kind = kind;
  if (dstPitch < width || srcPitch < width)
    return finish(hipErrorInvalidPitchValue);
  return copy(work, target);
}

hipError_t copy3D(const hipMemcpy3DParms *parameters, const Target &target) {
  CopyWork work;
  if (hipError_t error = copyFrom(parameters, work))
    return finish(error);
  return copy(work, target);
}

hipError_t fill(void *dst, uint32_t value, uint32_t elementBytes, size_t count,
                const Target &target, size_t height = 1, size_t pitch = 0) {
  FillWork work = {dst, value, elementBytes, count, height, pitch};
  if (hipError_t error = checkFill(work))
    return finish(error);
  return run(target, false, work);
}

hipError_t copyPeer(void *dst, int dstDevice, const void *src, int srcDevice,
                    size_t bytes, const Target &target) {
  Runtime &runtime = Runtime::get();
  if (!runtime.isDevice(dstDevice) || !runtime.isDevice(srcDevice))
    return finish(hipErrorInvalidDevice);
  return copy(dst, src, bytes, hipMemcpyDeviceToDevice, target);
}

} // namespace

hipError_t hipMalloc(void **pointer, size_t bytes) {
  return allocateNow(pointer, bytes, MemoryKind::Device);
}

hipError_t hipFree(void *pointer) {
  Runtime &runtime = Runtime::get();
  if (hipError_t error = checkUnsafeCall())
    return finish(error);
  if (!pointer)
    return finish(hipSuccess);
  // Like HIP, wait for everything that may still use the memory.
  hipError_t error = runtime.waitAllDevices();
  if (!runtime.memory.release(pointer))
    return finish(hipErrorInvalidValue);
  forgetExport(pointer);
  return finish(error);
}

hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t handle) {
  ihipStream_t *stream;
  if (hipError_t error = streamForWork(handle, stream))
    return finish(error);
  if (hipError_t error = refuseInCapture(*stream, "hipMallocAsync"))
    return finish(error);
  // Available at once, which is sooner than the stream gets there.
  return finish(allocate(pointer, bytes, MemoryKind::Device, stream->device));
}

hipError_t hipFreeAsync(void *pointer, hipStream_t handle) {
  Runtime &runtime = Runtime::get();
  ihipStream_t *stream;
  if (hipError_t error = streamForWork(handle, stream))
    return finish(error);
  if (hipError_t error = refuseInCapture(*stream, "hipFreeAsync"))
    return finish(error);
  Allocation a;
  if (!runtime.memory.lookup(address(pointer), a) || a.begin != address(pointer) ||
      a.kind != MemoryKind::Device)
    return finish(hipErrorInvalidValue);
  Device &device = *runtime.devices[stream->device];
  device.submit(*stream, [&runtime, pointer] {
    if (runtime.memory.release(pointer))
      forgetExport(pointer);
  }, true);
  return finish(device.error());
}

hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned) {
  return allocateNow(pointer, bytes, MemoryKind::Host);
}

hipError_t hipHostFree(void *pointer) { return hipFree(pointer); }

hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned) {
  Allocation a;
  if (!device || !Runtime::get().memory.lookup(address(host), a))
    return finish(hipErrorInvalidValue);
  *device = host;
  return finish(hipSuccess);
}

hipError_t hipHostRegister(void *host, size_t bytes, unsigned) {
  Runtime &runtime = Runtime::get();
  Allocation a;
  if (hipError_t error = checkUnsafeCall())
    return finish(error);
  if (!host || !bytes || bytes > ~address(host))
    return finish(hipErrorInvalidValue);
  if (runtime.memory.lookup(address(host), a))
    return finish(hipErrorHostMemoryAlreadyRegistered);
  runtime.memory.add({address(host), address(host) + bytes, MemoryKind::Host,
                      true, currentDevice, 0});
  return finish(hipSuccess);
}

hipError_t hipHostUnregister(void *host) {
  Runtime &runtime = Runtime::get();
  Allocation a;
  if (hipError_t error = checkUnsafeCall())
    return finish(error);
  if (!runtime.memory.lookup(address(host), a) || a.begin != address(host) ||
      a.kind != MemoryKind::Host)
    return finish(hipErrorHostMemoryNotRegistered);
  runtime.waitAllDevices();
  runtime.memory.remove(a.begin);
  return finish(hipSuccess);
}

hipError_t hipMemcpy(void *dst, const void *src, size_t bytes, hipMemcpyKind kind) {
  return copy(dst, src, bytes, kind, {});
}
hipError_t hipMemcpyAsync(void *dst, const void *src, size_t bytes,
                          hipMemcpyKind kind, hipStream_t stream) {
  return copy(dst, src, bytes, kind, {stream, false});
}
hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t bytes,
                               hipMemcpyKind kind, hipStream_t stream) {
  return copy(dst, src, bytes, kind, {stream, true});
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void *src, size_t bytes) {
  return copy(dst, src, bytes, hipMemcpyHostToDevice, {});
}
hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t bytes) {
  return copy(dst, src, bytes, hipMemcpyDeviceToHost, {});
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes) {
  return copy(dst, src, bytes, hipMemcpyDeviceToDevice, {});
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t bytes, hipStream_t stream) {
  return copy(dst, src, bytes, hipMemcpyHostToDevice, {stream, false});
}
hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream) {
  return copy(dst, src, bytes, hipMemcpyDeviceToHost, {stream, false});
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream) {
  return copy(dst, src, bytes, hipMemcpyDeviceToDevice, {stream, false});
}

hipError_t hipMemset(void *dst, int value, size_t bytes) {
  return fill(dst, uint8_t(value), 1, bytes, {});
}
hipError_t hipMemsetAsync(void *dst, int value, size_t bytes, hipStream_t stream) {
  return fill(dst, uint8_t(value), 1, bytes, {stream, false});
}
hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count) {
  return fill(dst, uint8_t(value), 1, count, {});
}
hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count) {
  return fill(dst, uint32_t(value), 4, count, {});
}
hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream) {
  return fill(dst, uint32_t(value), 4, count, {stream, false});
}

hipError_t hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count, hipStream_t stream) {
  return fill(dst, value, 1, count, {stream, false});
}
hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count) {
  return fill(dst, value, 2, count, {});
}
hipError_t hipMemsetD16Async(hipDeviceptr_t dst, unsigned short value, size_t count, hipStream_t stream) {
  return fill(dst, value, 2, count, {stream, false});
}
hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height) {
  return fill(dst, uint8_t(value), 1, width, {}, height, pitch);
}
hipError_t hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream) {
  return fill(dst, uint8_t(value), 1, width, {stream, false}, height, pitch);
}

hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  size_t rowBytes = 0, bytes = 0;
  if (!pitch || __builtin_add_overflow(width, size_t(255), &rowBytes) ||
      __builtin_mul_overflow(rowBytes & ~size_t(255), height, &bytes))
    return finish(hipErrorInvalidValue);
  *pitch = rowBytes & ~size_t(255);
  return allocateNow(pointer, bytes, MemoryKind::Device);
}
hipError_t hipMemcpy2D(void *dst, size_t dstPitch, const void *src, size_t srcPitch,
                       size_t width, size_t height, hipMemcpyKind kind) {
  return copy2D(dst, dstPitch, src, srcPitch, width, height, kind, {});
}
hipError_t hipMemcpy2DAsync(void *dst, size_t dstPitch, const void *src, size_t srcPitch,
                            size_t width, size_t height, hipMemcpyKind kind,
                            hipStream_t stream) {
  return copy2D(dst, dstPitch, src, srcPitch, width, height, kind, {stream, false});
}
hipError_t hipMemcpy3D(const hipMemcpy3DParms *parameters) { return copy3D(parameters, {}); }
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *parameters, hipStream_t stream) {
  return copy3D(parameters, {stream, false});
}
hipError_t hipMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice,
                         size_t bytes) {
  return copyPeer(dst, dstDevice, src, srcDevice, bytes, {});
}
hipError_t hipMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                              size_t bytes, hipStream_t stream) {
  return copyPeer(dst, dstDevice, src, srcDevice, bytes, {stream, false});
}

hipError_t hipMemGetInfo(size_t *available, size_t *total) {
  Runtime &runtime = Runtime::get();
  size_t bytes = 0;
  hipDeviceTotalMem(&bytes, int(currentDevice));
  size_t used = runtime.memory.bytesInUse(currentDevice);
  if (available)
    *available = used < bytes ? bytes - used : 0;
  if (total)
    *total = bytes;
  return finish(hipSuccess);
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *out, const void *pointer) {
  if (!out || !pointer)
    return finish(hipErrorInvalidValue);
  *out = {};
  Allocation a;
  if (!Runtime::get().memory.lookup(address(pointer), a)) {
    out->type = hipMemoryTypeUnregistered;
    out->device = -2; // hipInvalidDeviceId
    return finish(hipSuccess);
  }
  bool host = a.kind == MemoryKind::Host;
  out->type = host ? hipMemoryTypeHost : hipMemoryTypeDevice;
  out->device = int(a.device);
  out->devicePointer = const_cast<void *>(pointer);
  out->hostPointer = host ? const_cast<void *>(pointer) : nullptr;
  return finish(hipSuccess);
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes,
                                 hipDeviceptr_t pointer) {
  Allocation a;
  if (!Runtime::get().memory.lookup(address(pointer), a))
    return finish(hipErrorNotFound);
  if (base)
    *base = reinterpret_cast<void *>(a.begin);
  if (bytes)
    *bytes = a.end - a.begin;
  return finish(hipSuccess);
}

hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute,
                                  hipDeviceptr_t pointer) {
  Allocation a;
  if (!data || !Runtime::get().memory.lookup(address(pointer), a))
    return finish(hipErrorInvalidValue);
  bool host = a.kind == MemoryKind::Host;
  auto put = [&](auto value) { std::memcpy(data, &value, sizeof(value)); };
  switch (attribute) {
  case 2: put(host ? hipMemoryTypeHost : hipMemoryTypeDevice); break;
  case 3: put(pointer); break;
  case 4: put(host ? pointer : nullptr); break;
  case 7: put(uint64_t(a.serial)); break;  // Buffer id.
  case 8: put(uint32_t(0)); break;         // Is managed.
  case 9: put(int(a.device)); break;
  case 11: put(a.begin); break;            // Start and size of the range.
  case 12: put(size_t(a.end - a.begin)); break;
  default: return finish(hipErrorNotSupported);
  }
  return finish(hipSuccess);
}
