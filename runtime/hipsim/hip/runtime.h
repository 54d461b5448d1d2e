// The simulated devices behind the HIP functions: memory, queues, handles.
//
// Every device has one worker thread that executes the commands of all its
// streams in the order of submission, which satisfies every ordering that HIP
// promises. Streams are objects of their own so that capture can divert them.
#pragma once

#include "runtime/hipsim/exec/dispatch.h"
#include "runtime/hipsim/hip/hip_api.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace hipsim {
struct Capture;
}

/// A stream. The default stream of a device is one, too.
struct ihipStream_t {
  uint32_t device = 0;
  unsigned flags = 0;
  int priority = 0;
  bool legacy = false; ///< The default stream of its device.
  std::atomic<uint64_t> lastSubmitted{0}; ///< Ticket of the newest command.

  // Guarded by Captures::mutex (capture.h).
  std::shared_ptr<hipsim::Capture> capture; ///< Null: not capturing.
  std::vector<hipGraphNode_t> tail;  ///< What the next captured node depends on.
  std::vector<hipGraphNode_t> shown; ///< Lent by hipStreamGetCaptureInfo_v2.
};

/// An event: complete when the command with its ticket has been executed.
struct ihipEvent_t {
  uint32_t device = 0;
  unsigned flags = 0;
  std::atomic<uint64_t> ticket{0}; ///< 0: never recorded.
  std::chrono::steady_clock::time_point time;

  // Guarded by Captures::mutex: set when last recorded in a capturing stream.
  std::shared_ptr<hipsim::Capture> capture;
  std::vector<hipGraphNode_t> tail;
};

struct ihipModuleSymbol_t {
  uint32_t device = 0;
  std::shared_ptr<hipsim::Program> program;
  const hipsim::KernelDescriptor *kernel = nullptr;
};

struct ihipModule_t {
  uint32_t device = 0;
  std::shared_ptr<hipsim::Program> program;
  std::vector<std::unique_ptr<ihipModuleSymbol_t>> functions;
};

namespace hipsim {

/// One simulated GPU and its worker thread. Thread-safe.
class Device {
public:
  using Command = std::function<void()>;

  explicit Device(uint32_t ordinal);

  /// Queues a command and returns its ticket; tickets complete in order.
  /// Once the device has an error, only commands with `evenAfterError` run.
  uint64_t submit(ihipStream_t &stream, Command command,
                  bool evenAfterError = false);
  bool isDone(uint64_t ticket) const;
  /// Waits and returns the sticky error, if any.
  hipError_t wait(uint64_t ticket);
  hipError_t waitAll();
  hipError_t error() const;
  void setError(hipError_t error);

  ihipStream_t defaultStream;
  /// Bit d: kernels of this device may touch the memory of device d.
  std::atomic<uint64_t> reachable;

private:
  struct Entry {
    Command command;
    bool evenAfterError;
  };
  void work();

  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::deque<Entry> queue;
  uint64_t submitted = 0, completed = 0;
  hipError_t sticky = hipSuccess;
  std::thread worker;
};

/// Process-wide state. Never destroyed: worker threads may outlive main().
class Runtime {
public:
  static Runtime &get();

  Arch arch = Arch::Gfx942;
  std::atomic<uint64_t> seed = 1;
  std::atomic<uint32_t> checks = 0; ///< Check bits; see ../checks.
  uint32_t threads = 1;
  bool poison = false, verbose = false;
  DeviceMemory memory;
  std::vector<std::unique_ptr<Device>> devices;

  /// The device that the calling thread has selected.
  Device &current();
  /// Null when the handle is not a live stream of ours.
  ihipStream_t *stream(hipStream_t handle);
  /// Newest ticket of the streams that the default stream of `device` waits
  /// for: its own and those without hipStreamNonBlocking.
  uint64_t legacyTicket(uint32_t device);
  /// Waits for every device; memory may be in use by any of them.
  hipError_t waitAllDevices();
  bool isDevice(int ordinal) const {
    return ordinal >= 0 && size_t(ordinal) < devices.size();
  }

  void report(std::string text);
  std::string lastReport();
  void addCounters(const Counters &counters);
  Counters counters();

  // Live handles. Guarded by `handles`.
  std::mutex handles;
  std::set<hipStream_t> streams;
  std::set<hipEvent_t> events;
  std::set<hipModule_t> modules;
  std::set<hipFunction_t> functions;

private:
  Runtime();
  std::mutex mutex;
  std::string reportText;
  Counters total;
};

/// Ordinal that hipSetDevice selected on this thread.
extern thread_local uint32_t currentDevice;

/// Remembers the error for hipGetLastError and returns it.
hipError_t finish(hipError_t error);

} // namespace hipsim
