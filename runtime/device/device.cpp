// One device: memory, copies, modules.
#include "runtime/device/device.h"

#include <fmt/format.h>

namespace moec {

DeviceMemory::~DeviceMemory() {
  if (!pointer)
    return;
  CurrentDevice current(*hip, device);
  if (current.status().ok())
    hip->hipFree(pointer);
}

Expected<std::unique_ptr<Device>> Device::open(const std::string &hipLibrary,
                                               int ordinal) {
  Expected<std::shared_ptr<const HipLibrary>> hip = HipLibrary::open(hipLibrary);
  if (!hip)
    return hip.status();
  Expected<std::string> target = (*hip)->architecture(ordinal);
  if (!target)
    return target.status();
  return std::make_unique<Device>(hip.take(), ordinal, target.take());
}

Device::~Device() {
  CurrentDevice current(*library, number);
  if (!current.status().ok())
    return;
  for (auto &[hash, module] : modules)
    library->hipModuleUnload(module.handle);
}

Expected<DeviceMemory> Device::allocate(size_t bytes) const {
  CurrentDevice current(*library, number);
  if (!current.status().ok())
    return current.status();
  void *pointer = nullptr;
  if (Status s = library->check(library->hipMalloc(&pointer, bytes), "hipMalloc");
      !s.ok())
    return s.withContext(fmt::format("device {}, {} bytes", number, bytes));
  return DeviceMemory(library, number, pointer, bytes);
}

Status Device::copy(void *to, const void *from, size_t bytes) const {
  CurrentDevice current(*library, number);
  if (!current.status().ok())
    return current.status();
  return library->check(
      library->hipMemcpy(to, from, bytes, hipMemcpyDefaultKind), "hipMemcpy");
}

Status Device::loadModule(const Code &code, Module &module) const {
  return library
      ->check(library->hipModuleLoadData(&module.handle, code.bytes.data()),
              "hipModuleLoadData")
      .withContext(fmt::format("code object {} for {} on device {}", code.hash,
                               arch, number));
}

Expected<void *> Device::function(const Code &code, const std::string &symbol) {
  std::lock_guard lock(mutex);
  CurrentDevice current(*library, number);
  if (!current.status().ok())
    return current.status();
  auto found = modules.find(code.hash);
  if (found == modules.end()) {
    Module module;
    if (Status s = loadModule(code, module); !s.ok())
      return s;
    found = modules.emplace(code.hash, std::move(module)).first;
  }
  Module &module = found->second;
  auto known = module.functions.find(symbol);
  if (known != module.functions.end())
    return known->second;
  void *function = nullptr;
  if (Status s = library->check(library->hipModuleGetFunction(
                                    &function, module.handle, symbol.c_str()),
                                "hipModuleGetFunction");
      !s.ok())
    return s.withContext(
        fmt::format("kernel '{}' of code object {}", symbol, code.hash));
  module.functions.emplace(symbol, function);
  return function;
}

} // namespace moec
