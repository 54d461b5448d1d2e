// Executes the waves of a workgroup with checks; one object a workgroup.
//
// A launch with checks calls run() where a launch without calls the plain
// loop: both execute the same steps, so that a launch without pays nothing.
#pragma once

#include "runtime/hipsim/checks/lds_races.h"
#include "runtime/hipsim/checks/weak_memory.h"

#include <memory>

namespace hipsim {

class GroupChecker {
public:
  GroupChecker(Workgroup &group, uint32_t waveCount);
  ~GroupChecker();

  /// Executes steps until the wave stops or `quantum` is used up; returns how
  /// many were executed. A finding stops the launch.
  uint32_t run(Wave &wave, uint32_t quantum);
  /// A barrier lets its waves go.
  void barrierReleased();

private:
  /// False: a finding has been raised and the step must not be executed.
  bool beforeStep(Wave &wave, const Step &step, const Effects &effects);
  bool checkRegisters(Wave &wave, const Step &step, const Effects &effects);
  bool checkLds(Wave &wave, const Step &step, const Effects &effects,
                const LdsFootprint &footprint);
  /// A wait that covers a write-back makes the stores of the die visible.
  void wait(Wave &wave, const Effects &effects);
  void execute(Wave &wave, const Step &step, const Effects &effects);
  void findFootprint(const Wave &wave, const Step &step, const Effects &effects,
                     LdsFootprint &out) const;
  std::string describe(const Step &step) const;

  Workgroup &group;
  const uint32_t checks;
  const Step *const steps;
  const std::vector<Effects> &effects;
  bool needsFootprints = false;
  std::vector<WaitCounters> waits; ///< By wave.
  std::vector<uint8_t> writingBack; ///< By wave: buffer_wbl2 not waited for.
  std::unique_ptr<LdsRaces> races; ///< Null: one wave, or not checked.
  WeakMemory *const weak;          ///< Null: memory is coherent.
};

} // namespace hipsim
