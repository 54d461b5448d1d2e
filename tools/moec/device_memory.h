// Memory of the device that a moec_context uses, through the same HIP library.
//
// An engine has its own allocator; the tool plays that part here. It knows five
// HIP functions and resolves them in the library that libmoec has opened.
#pragma once

#include "runtime/base/status.h"

#include <cstddef>
#include <string>

namespace moec::tool {

/// The functions of one HIP library. Copies are cheap; it is never closed.
class HipMemory {
public:
  /// `path`: what moec_context_hip_library says.
  static Expected<HipMemory> open(const std::string &path);

  Expected<void *> allocate(size_t bytes) const;
  void release(void *pointer) const;
  /// Copies and waits for the device; either side may be host or device.
  Status copy(void *to, const void *from, size_t bytes) const;
  /// Every byte 0xff: NaN as bf16 and as f32.
  Status poison(void *to, size_t bytes) const;

private:
  Status check(int error, const char *call) const;

  int (*malloc)(void **, size_t) = nullptr;
  int (*free)(void *) = nullptr;
  int (*memcpy)(void *, const void *, size_t, int) = nullptr;
  const char *(*errorString)(int) = nullptr;
  const char *(*simulatorReport)() = nullptr; ///< hipsim only.
};

/// An allocation, released with the object.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  /// At least one byte, so that a tensor without rows has an address.
  static Expected<DeviceBuffer> make(const HipMemory &memory, size_t bytes);
  DeviceBuffer(DeviceBuffer &&other) noexcept { swap(other); }
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    DeviceBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~DeviceBuffer();

  unsigned char *data() const { return static_cast<unsigned char *>(pointer); }
  size_t size() const { return bytes; }

private:
  void swap(DeviceBuffer &other) noexcept;

  HipMemory memory;
  void *pointer = nullptr;
  size_t bytes = 0;
};

} // namespace moec::tool
