// Device memory for the tool's operands; see device_memory.h.
#include "tools/moec/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <dlfcn.h>
#include <vector>

namespace moec::tool {

static constexpr int copyDefault = 4; // hipMemcpyDefault: HIP finds the side.

Expected<HipMemory> HipMemory::open(const std::string &path) {
  HipMemory hip;
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto find = [&](const char *name, auto &function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        handle ? dlsym(handle, name) : nullptr);
    return function != nullptr;
  };
  bool complete = find("hipMalloc", hip.malloc) && find("hipFree", hip.free) &&
                  find("hipMemcpy", hip.memcpy);
  if (!complete)
    return Status(ErrorCode::Device,
                  fmt::format("'{}' cannot be used for memory: it lacks "
                              "hipMalloc, hipFree or hipMemcpy",
                              path));
  find("hipGetErrorString", hip.errorString);
  find("hipsimLastReport", hip.simulatorReport);
  return hip;
}

Status HipMemory::check(int error, const char *call) const {
  if (error == 0)
    return {};
  std::string message = fmt::format(
      "{} failed: {} ({})", call, errorString ? errorString(error) : "", error);
  const char *report = simulatorReport ? simulatorReport() : nullptr;
  if (report && *report)
    message += fmt::format("; simulator: {}", report);
  return Status(ErrorCode::Device, message);
}

Expected<void *> HipMemory::allocate(size_t bytes) const {
  void *pointer = nullptr;
  Status status = check(malloc(&pointer, bytes), "hipMalloc");
  if (!status.ok())
    return status.withContext(fmt::format("allocating {} bytes", bytes));
  return pointer;
}

void HipMemory::release(void *pointer) const { (void)free(pointer); }

Status HipMemory::copy(void *to, const void *from, size_t bytes) const {
  return bytes ? check(memcpy(to, from, bytes, copyDefault), "hipMemcpy")
               : Status();
}

Status HipMemory::poison(void *to, size_t bytes) const {
  const std::vector<unsigned char> ones(std::min<size_t>(bytes, 1 << 20), 0xff);
  for (size_t at = 0; at < bytes; at += ones.size()) {
    size_t part = std::min(bytes - at, ones.size());
    Status status =
        copy(static_cast<unsigned char *>(to) + at, ones.data(), part);
    if (!status.ok())
      return status;
  }
  return {};
}

Expected<DeviceBuffer> DeviceBuffer::make(const HipMemory &memory,
                                          size_t bytes) {
  Expected<void *> pointer = memory.allocate(std::max<size_t>(bytes, 1));
  if (!pointer)
    return pointer.status();
  DeviceBuffer buffer;
  buffer.memory = memory;
  buffer.pointer = *pointer;
  buffer.bytes = bytes;
  return buffer;
}

DeviceBuffer::~DeviceBuffer() {
  if (pointer)
    memory.release(pointer);
}

void DeviceBuffer::swap(DeviceBuffer &other) noexcept {
  std::swap(memory, other.memory);
  std::swap(pointer, other.pointer);
  std::swap(bytes, other.bytes);
}

} // namespace moec::tool
