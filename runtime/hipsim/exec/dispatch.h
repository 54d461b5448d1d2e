// One kernel launch: what the hardware would be told, and its execution.
#pragma once

#include "runtime/hipsim/exec/program.h"
#include "runtime/hipsim/exec/wave.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace hipsim {

class WeakMemory;
namespace timing {
class Recorder;
}

/// Steps executed, by class; added up over all launches.
struct Counters {
  uint64_t steps[uint32_t(StepClass::Count)] = {};
  uint64_t workgroups = 0;
  uint64_t waves = 0;
};

struct LaunchError {
  FaultKind kind = FaultKind::Trap;
  std::string text; ///< Several lines; ready to be shown.
};

class Tracer;

/// A launch. Immutable while it runs, except for the members at the end.
struct Dispatch {
  std::shared_ptr<const Program> program;
  const KernelDescriptor *kernel = nullptr;
  uint32_t grid[3] = {1, 1, 1};  ///< Workgroups.
  uint32_t block[3] = {1, 1, 1}; ///< Work items of a workgroup.
  uint32_t dynamicLds = 0;
  uint64_t kernarg = 0;  ///< Address of the kernel argument segment.
  uint64_t packet = 0;   ///< Address of the AQL dispatch packet.
  uint64_t seed = 1;
  uint32_t device = 0;       ///< Where it runs.
  uint64_t reachable = ~0ull; ///< Bit d: may touch the memory of device d.
  uint32_t checks = 0; ///< A set of Check bits (../checks/check_set.h).
  std::shared_ptr<const MemorySnapshot> memory;
  /// Memory of this launch only: the kernel argument segment and the packet.
  Allocation own[2];
  std::shared_ptr<Tracer> tracer; ///< Null: no wave is looked at.

  /// For launches with the check "weak"; they run on one thread.
  std::shared_ptr<WeakMemory> weak;
  timing::Recorder *recorder = nullptr; ///< Set while a profile is taken.

  // Shared by the worker threads.
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> progress{0};
  std::mutex mutex;
  bool failed = false;
  LaunchError error;
  Counters counters;
};

/// Empty: the launch is legal. Otherwise why it is not; `resources` says that
/// it asks for more LDS or registers than exist.
std::string checkLaunch(const Dispatch &dispatch, bool &resources);

/// Runs the launch to its end. False: dispatch.error says why it stopped.
bool runDispatch(Dispatch &dispatch, uint32_t threads);

/// LDS that a workgroup may have on an architecture.
uint32_t ldsLimit(Arch arch);

} // namespace hipsim
