// One device of a HIP library: memory, copies, and code objects loaded once.
//
// Every method makes the device current and restores the caller's.
#pragma once

#include "runtime/bundle/bundle.h"
#include "runtime/device/hip_library.h"

#include <map>
#include <mutex>

namespace moec {

/// Memory of a device, freed with the object.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(std::shared_ptr<const HipLibrary> hip, int device, void *pointer,
               size_t bytes)
      : hip(std::move(hip)), device(device), pointer(pointer), size(bytes) {}
  DeviceMemory(DeviceMemory &&other) noexcept { swap(other); }
  DeviceMemory &operator=(DeviceMemory &&other) noexcept {
    DeviceMemory(std::move(other)).swap(*this);
    return *this;
  }
  ~DeviceMemory();
  void *data() const { return pointer; }
  size_t bytes() const { return size; }

private:
  void swap(DeviceMemory &other) noexcept {
    hip.swap(other.hip);
    std::swap(device, other.device);
    std::swap(pointer, other.pointer);
    std::swap(size, other.size);
  }

  std::shared_ptr<const HipLibrary> hip;
  int device = 0;
  void *pointer = nullptr;
  size_t size = 0;
};

/// Threads may share a Device; loading is serialised.
class Device {
public:
  Device(std::shared_ptr<const HipLibrary> hip, int ordinal, std::string target)
      : library(std::move(hip)), number(ordinal), arch(std::move(target)) {}
  /// Unloads the code objects.
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  static Expected<std::unique_ptr<Device>> open(const std::string &hipLibrary,
                                                int ordinal);

  const HipLibrary &hip() const { return *library; }
  int ordinal() const { return number; }
  const std::string &target() const { return arch; }

  Expected<DeviceMemory> allocate(size_t bytes) const;
  /// Copies and waits; either pointer may be of the host or of the device.
  Status copy(void *to, const void *from, size_t bytes) const;

  /// The function `symbol` of `code`. Code objects stay loaded until the
  /// device is destroyed, because a captured graph may replay them (R28).
  Expected<void *> function(const Code &code, const std::string &symbol);

private:
  struct Module {
    void *handle = nullptr;
    std::map<std::string, void *> functions;
  };
  Status loadModule(const Code &code, Module &module) const;

  std::shared_ptr<const HipLibrary> library;
  int number;
  std::string arch;
  std::mutex mutex;                      ///< Guards `modules`.
  std::map<std::string, Module> modules; ///< By Code::hash.
};

} // namespace moec
