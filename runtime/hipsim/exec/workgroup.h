// A workgroup that has been started: its waves, registers and LDS.
#pragma once

#include "runtime/hipsim/exec/dispatch.h"
#include "runtime/hipsim/timing/trace.h"

#include <memory>
#include <vector>

namespace hipsim {

class GroupChecker;

/// A small, fast generator: order and quanta of waves need no more.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15ull | 1) {}
  uint32_t next(uint32_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return uint32_t((state >> 32) * bound >> 32);
  }

private:
  uint64_t state;
};

/// Memory for registers and LDS, kept by the thread for the next workgroup.
/// Null when the system has none.
void *takeStorage(size_t bytes);
void giveStorage(void *storage, size_t bytes);

class ResidentGroup {
public:
  /// Without memory for its registers it stops the dispatch with an error.
  ResidentGroup(Dispatch &dispatch, uint64_t linearId);
  ~ResidentGroup();
  ResidentGroup(const ResidentGroup &) = delete;
  ResidentGroup &operator=(const ResidentGroup &) = delete;

  enum class Outcome { Finished, Preempted, Faulted };
  /// Runs waves in random order until the group ends, has executed `budget`
  /// steps, or every live wave sleeps.
  Outcome run(uint64_t budget);

  /// True when every live wave is in a loop that repeats its state exactly or
  /// at a barrier: only a store by another group can help. Executes steps.
  bool isSpinning();
  /// One line a live wave, for the deadlock report.
  std::string describeWaves() const;

  Workgroup group;
  std::vector<Wave> waves;
  std::unique_ptr<timing::WorkgroupTrace> trace; ///< While a profile is taken.

  // The scheduler's notes.
  uint64_t stuckAtProgress = ~0ull; ///< Global progress when found spinning.

private:
  void releaseBarrier();
  /// Executes steps of a wave; returns how many.
  uint32_t advance(Wave &w, uint32_t quantum);
  bool waveRepeats(Wave &w);

  Random random;
  std::unique_ptr<GroupChecker> checker; ///< Null: a launch without checks.
  uint8_t *storage = nullptr;
  size_t storageBytes = 0;
};

} // namespace hipsim
