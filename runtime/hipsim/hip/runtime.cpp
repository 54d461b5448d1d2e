// Devices, their worker threads, and the process-wide state.
#include "runtime/hipsim/hip/runtime.h"

#include "runtime/hipsim/checks/check_set.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace hipsim;

thread_local uint32_t hipsim::currentDevice = 0;

namespace {

/// Environment variables (README.md): unset or malformed means the default.
uint64_t numberFrom(const char *name, uint64_t byDefault, uint64_t limit) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return byDefault;
  char *end = nullptr;
  unsigned long long value = std::strtoull(text, &end, 10);
  if (*end || value > limit) {
    std::fprintf(stderr, "hipsim: %s=%s is not a number up to %llu; using %llu\n",
                 name, text, (unsigned long long)limit,
                 (unsigned long long)byDefault);
    return byDefault;
  }
  return value;
}

} // namespace

/// hipStreamPerThread: one stream a thread and device, gone with the thread.
struct ThreadStreams {
  std::vector<ihipStream_t *> streams;
  ihipStream_t *of(uint32_t device) {
    Runtime &runtime = Runtime::get();
    streams.resize(runtime.devices.size());
    if (!streams[device]) {
      streams[device] = new ihipStream_t;
      streams[device]->device = device;
      std::lock_guard lock(runtime.handles);
      runtime.streams.insert(streams[device]);
    }
    return streams[device];
  }
  ~ThreadStreams() {
    for (ihipStream_t *stream : streams)
      if (stream)
        (void)hipStreamDestroy(stream);
  }
};
thread_local ThreadStreams threadStreams;

Device::Device(uint32_t ordinal) : reachable(1ull << ordinal) {
  defaultStream.device = ordinal;
  defaultStream.legacy = true;
}

uint64_t Device::submit(ihipStream_t &stream, Command command,
                        bool evenAfterError) {
  std::lock_guard lock(mutex);
  if (!worker.joinable())
    worker = std::thread([this] { work(); });
  queue.push_back({std::move(command), evenAfterError});
  stream.lastSubmitted = ++submitted;
  changed.notify_all();
  return submitted;
}

void Device::work() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return !queue.empty(); });
    Command command = std::move(queue.front().command);
    bool skip = sticky != hipSuccess && !queue.front().evenAfterError;
    queue.pop_front();
    lock.unlock();
    if (!skip)
      command();
    command = nullptr; // Releases what it holds before it counts as done.
    lock.lock();
    ++completed;
    changed.notify_all();
  }
}

bool Device::isDone(uint64_t ticket) const {
  std::lock_guard lock(mutex);
  return completed >= ticket;
}

hipError_t Device::wait(uint64_t ticket) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return completed >= ticket; });
  return sticky;
}

hipError_t Device::waitAll() {
  std::unique_lock lock(mutex);
  uint64_t last = submitted;
  changed.wait(lock, [&] { return completed >= last; });
  return sticky;
}

hipError_t Device::error() const {
  std::lock_guard lock(mutex);
  return sticky;
}

void Device::setError(hipError_t error) {
  std::lock_guard lock(mutex);
  sticky = error;
}

Runtime::Runtime() {
  const char *name = std::getenv("HIPSIM_ARCH");
  if (name && *name && !parseArch(name, arch))
    std::fprintf(stderr,
                 "hipsim: HIPSIM_ARCH=%s is unknown (gfx942, gfx950); using "
                 "gfx942\n",
                 name);
  seed = numberFrom("HIPSIM_SEED", 1, ~0ull);
  uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  threads = uint32_t(std::max<uint64_t>(1, numberFrom("HIPSIM_THREADS", cores, 1024)));
  poison = numberFrom("HIPSIM_POISON", 0, 1);
  verbose = numberFrom("HIPSIM_VERBOSE", 0, 1);
  std::string error;
  uint32_t set = 0;
  const char *wanted = std::getenv("HIPSIM_CHECKS");
  if (wanted && !parseChecks(wanted, set, error))
    std::fprintf(stderr, "hipsim: HIPSIM_CHECKS: %s; no checks\n", error.c_str());
  checks = set;
  uint64_t count = numberFrom("HIPSIM_DEVICES", 1, 64);
  for (uint32_t i = 0; i < count; ++i)
    devices.push_back(std::make_unique<Device>(i));
}

Runtime &Runtime::get() {
  static Runtime *runtime = new Runtime;
  return *runtime;
}

Device &Runtime::current() {
  return *devices[currentDevice < devices.size() ? currentDevice : 0];
}

ihipStream_t *Runtime::stream(hipStream_t handle) {
  if (handle == nullptr || handle == hipStreamLegacy)
    return &current().defaultStream;
  if (handle == hipStreamPerThread)
    return threadStreams.of(currentDevice);
  std::lock_guard lock(handles);
  return streams.count(handle) ? handle : nullptr;
}

uint64_t Runtime::legacyTicket(uint32_t device) {
  uint64_t ticket = devices[device]->defaultStream.lastSubmitted;
  std::lock_guard lock(handles);
  for (ihipStream_t *stream : streams)
    if (stream->device == device && !(stream->flags & hipStreamNonBlocking))
      ticket = std::max<uint64_t>(ticket, stream->lastSubmitted);
  return ticket;
}

hipError_t Runtime::waitAllDevices() {
  hipError_t error = hipSuccess;
  for (const auto &device : devices)
    if (hipError_t e = device->waitAll(); e && !error)
      error = e;
  return error;
}

void Runtime::report(std::string text) {
  if (verbose)
    std::fprintf(stderr, "%s", text.c_str());
  std::lock_guard lock(mutex);
  reportText = std::move(text);
}

std::string Runtime::lastReport() {
  std::lock_guard lock(mutex);
  return reportText;
}

void Runtime::addCounters(const Counters &more) {
  std::lock_guard lock(mutex);
  for (uint32_t c = 0; c < uint32_t(StepClass::Count); ++c)
    total.steps[c] += more.steps[c];
  total.waves += more.waves;
  total.workgroups += more.workgroups;
}

Counters Runtime::counters() {
  std::lock_guard lock(mutex);
  return total;
}
