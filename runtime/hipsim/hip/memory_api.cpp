// Allocation, copies and fills.
#include "runtime/hipsim/hip/runtime.h"

#include <cstring>

using namespace hipsim;

namespace {

uint64_t address(const void *p) { return reinterpret_cast<uint64_t>(p); }

hipError_t allocate(void **pointer, size_t bytes, MemoryKind kind) {
  Runtime &runtime = Runtime::get();
  if (!pointer)
    return finish(hipErrorInvalidValue);
  *pointer = nullptr;
  if (hipError_t error = runtime.current().error())
    return finish(error);
  if (bytes == 0)
    return finish(hipSuccess);
  void *made = runtime.memory.allocate(bytes, kind, currentDevice, runtime.poison);
  if (!made)
    return finish(hipErrorOutOfMemory);
  *pointer = made;
  return finish(hipSuccess);
}

/// Whether [pointer, pointer + bytes) may be read or written by a copy. Memory
/// that is not ours is the host's, and legal unless the kind says device.
bool isLegal(const void *pointer, size_t bytes, bool mustBeDevice) {
  Allocation a;
  if (Runtime::get().memory.lookup(address(pointer), a))
    return bytes <= a.end - address(pointer);
  return pointer && !mustBeDevice;
}
bool isPageable(const void *pointer) {
  Allocation a;
  return !Runtime::get().memory.lookup(address(pointer), a);
}

hipError_t copy(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                hipStream_t handle, bool wait) {
  Runtime &runtime = Runtime::get();
  ihipStream_t *stream = runtime.stream(handle);
  if (!stream)
    return finish(hipErrorInvalidHandle);
  if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault)
    return finish(hipErrorInvalidMemcpyDirection);
  bool toDevice = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
  bool fromDevice = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
  if (bytes && (!isLegal(dst, bytes, toDevice) || !isLegal(src, bytes, fromDevice)))
    return finish(hipErrorInvalidValue);
  Device &device = *runtime.devices[stream->device];
  if (hipError_t error = device.error())
    return finish(error);
  // The caller may reuse pageable memory as soon as this returns.
  wait |= bytes && (isPageable(src) || isPageable(dst));
  uint64_t ticket = device.submit(*stream, [=] { std::memmove(dst, src, bytes); });
  return finish(wait ? device.wait(ticket) : hipSuccess);
}

template <class T>
hipError_t fill(void *dst, T value, size_t count, hipStream_t handle, bool wait) {
  Runtime &runtime = Runtime::get();
  ihipStream_t *stream = runtime.stream(handle);
  if (!stream)
    return finish(hipErrorInvalidHandle);
  if (count > SIZE_MAX / sizeof(T) ||
      (count && !isLegal(dst, count * sizeof(T), true)))
    return finish(hipErrorInvalidValue);
  Device &device = *runtime.devices[stream->device];
  if (hipError_t error = device.error())
    return finish(error);
  uint64_t ticket = device.submit(*stream, [=] {
    auto *out = static_cast<uint8_t *>(dst);
    if constexpr (sizeof(T) == 1)
      std::memset(out, value, count);
    else
      for (size_t i = 0; i < count; ++i)
        std::memcpy(out + i * sizeof(T), &value, sizeof(T));
  });
  return finish(wait ? device.wait(ticket) : hipSuccess);
}

} // namespace

hipError_t hipMalloc(void **pointer, size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::Device);
}

hipError_t hipFree(void *pointer) {
  Runtime &runtime = Runtime::get();
  if (!pointer)
    return finish(hipSuccess);
  // Like HIP, wait for everything that may still use the memory.
  hipError_t error = runtime.current().waitAll();
  if (!runtime.memory.release(pointer))
    return finish(hipErrorInvalidValue);
  return finish(error);
}

hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t stream) {
  if (!Runtime::get().stream(stream))
    return finish(hipErrorInvalidHandle);
  return allocate(pointer, bytes, MemoryKind::Device);
}

hipError_t hipFreeAsync(void *pointer, hipStream_t handle) {
  Runtime &runtime = Runtime::get();
  ihipStream_t *stream = runtime.stream(handle);
  if (!stream)
    return finish(hipErrorInvalidHandle);
  Allocation a;
  if (!runtime.memory.lookup(address(pointer), a) || a.begin != address(pointer))
    return finish(hipErrorInvalidValue);
  runtime.devices[stream->device]->submit(
      *stream, [&runtime, pointer] { runtime.memory.release(pointer); });
  return finish(hipSuccess);
}

hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned) {
  return allocate(pointer, bytes, MemoryKind::Host);
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
  if (!host || !bytes)
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
  if (!runtime.memory.lookup(address(host), a) || a.begin != address(host) ||
      a.kind != MemoryKind::Host)
    return finish(hipErrorHostMemoryNotRegistered);
  runtime.current().waitAll();
  runtime.memory.remove(a.begin);
  return finish(hipSuccess);
}

hipError_t hipMemcpy(void *dst, const void *src, size_t bytes, hipMemcpyKind kind) {
  return copy(dst, src, bytes, kind, nullptr, true);
}
hipError_t hipMemcpyAsync(void *dst, const void *src, size_t bytes,
                          hipMemcpyKind kind, hipStream_t stream) {
  return copy(dst, src, bytes, kind, stream, false);
}
hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t bytes,
                               hipMemcpyKind kind, hipStream_t stream) {
  return copy(dst, src, bytes, kind, stream, true);
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void *src, size_t bytes) {
  return copy(dst, src, bytes, hipMemcpyHostToDevice, nullptr, true);
}
hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t bytes) {
  return copy(dst, src, bytes, hipMemcpyDeviceToHost, nullptr, true);
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes) {
  return copy(dst, src, bytes, hipMemcpyDeviceToDevice, nullptr, true);
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t bytes, hipStream_t stream) {
  return copy(dst, src, bytes, hipMemcpyHostToDevice, stream, false);
}
hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream) {
  return copy(dst, src, bytes, hipMemcpyDeviceToHost, stream, false);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream) {
  return copy(dst, src, bytes, hipMemcpyDeviceToDevice, stream, false);
}

hipError_t hipMemset(void *dst, int value, size_t bytes) {
  return fill<uint8_t>(dst, uint8_t(value), bytes, nullptr, true);
}
hipError_t hipMemsetAsync(void *dst, int value, size_t bytes, hipStream_t stream) {
  return fill<uint8_t>(dst, uint8_t(value), bytes, stream, false);
}
hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count) {
  return fill<uint8_t>(dst, value, count, nullptr, true);
}
hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count) {
  return fill<int>(dst, value, count, nullptr, true);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream) {
  return fill<int>(dst, value, count, stream, false);
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
