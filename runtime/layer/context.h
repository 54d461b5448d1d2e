// What layers share: one device, the plans at hand, the worker.
#pragma once

#include "runtime/layer/plan_store.h"

#include "runtime/device/device.h"

namespace moec {

class Context {
public:
  struct Options {
    std::string hipLibrary; ///< "": see HipLibrary::open.
    int device = 0;
    std::optional<std::string> cacheDirectory; ///< Absent: the default one.
    bool neverCompile = false;
    WorkerClient::Options worker;
    std::function<void(const std::string &)> log;
  };

  static Expected<std::unique_ptr<Context>> create(Options options) {
    Expected<std::unique_ptr<Device>> device =
        Device::open(options.hipLibrary, options.device);
    if (!device)
      return device.status();
    PlanStore::Options store;
    store.target = (*device)->target();
    store.cacheDirectory =
        options.cacheDirectory.value_or(Cache::defaultDirectory());
    store.neverCompile = options.neverCompile;
    store.worker = std::move(options.worker);
    store.log = std::move(options.log);
    return std::make_unique<Context>(device.take(), std::move(store));
  }

  Context(std::unique_ptr<Device> opened, PlanStore::Options options)
      : store(std::move(options)), theDevice(std::move(opened)) {}

  Device &device() { return *theDevice; }
  PlanStore &plans() { return store; }

private:
  PlanStore store; // Outlives the device: HIP may read the bytes of a code
                   // object for as long as it is loaded.
  std::unique_ptr<Device> theDevice;
};

} // namespace moec
