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

Device::Device(uint32_t ordinal) { defaultStream.device = ordinal; }

uint64_t Device::submit(ihipStream_t &stream, Command command) {
  std::lock_guard lock(mutex);
  if (!worker.joinable())
    worker = std::thread([this] { work(); });
  queue.push_back(std::move(command));
  stream.lastSubmitted = ++submitted;
  changed.notify_all();
  return submitted;
}

void Device::work() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return !queue.empty(); });
    Command command = std::move(queue.front());
    queue.pop_front();
    bool skip = sticky != hipSuccess;
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
  // Null, hipStreamLegacy and hipStreamPerThread are the default stream.
  if (reinterpret_cast<uintptr_t>(handle) <= 2)
    return &current().defaultStream;
  std::lock_guard lock(handles);
  return streams.count(handle) ? handle : nullptr;
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
