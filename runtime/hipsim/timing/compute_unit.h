// One compute unit in detail: 4 SIMDs, the waves that are resident, LDS, the
// vector L1, and this unit's share of L2, MALL and HBM.
//
// Replays recorded waves: in-order issue, at most one instruction of a class a
// SIMD and 4 clk, exact wait counters and barriers. Memory is a chain of
// servers with a rate and a latency, so that a completion time is known when an
// access is issued. README.md says what is left out.
#pragma once

#include "runtime/hipsim/timing/costs.h"
#include "runtime/hipsim/timing/memory_path.h"
#include "runtime/hipsim/timing/trace.h"

#include <cstdint>
#include <vector>

namespace hipsim::timing {

/// Why a wave did not issue.
enum class Wait : uint8_t {
  None, VectorMemory, LdsOrScalar, Barrier, Matrix, Result, Port, Padding, Count
};
const char *waitName(Wait wait);

/// A loop of the program: a backward branch and its target.
struct Loop {
  uint32_t first = 0, last = 0; ///< Steps.
  uint64_t instructions = 0;    ///< Executed in it by the recorded waves.
  bool found() const { return last > first; }
};

/// An instruction of the timeline.
struct Issue {
  uint32_t wave = 0, step = 0;
  uint64_t start = 0, end = 0; ///< Clocks; end: the unit is free again.
  uint64_t waited = 0;
  Wait why = Wait::None;
};

struct UnitCounters {
  uint64_t issued[uint32_t(Unit::Count)] = {};
  uint64_t busyClk[uint32_t(Unit::Count)] = {}; ///< Added up over the SIMDs.
  uint64_t flops = 0, instructions = 0;
  uint64_t ldsClk = 0, ldsConflictClk = 0;
  uint64_t waitedClk[uint32_t(Wait::Count)] = {};
  MemoryCounters memory;
};

struct StepWaits {
  uint64_t executed = 0;
  uint64_t clk[uint32_t(Wait::Count)] = {};
};

struct UnitResult {
  double clk = 0;                  ///< Until everything has completed.
  std::vector<double> finished;    ///< Of each workgroup, ascending.
  UnitCounters counters;
  std::vector<StepWaits> waits;    ///< By step.
  std::vector<Issue> timeline;     ///< Of one SIMD, two turns of the hot loop.
  double loopClk = 0;              ///< Of a turn of the timeline.
};

struct UnitSetup {
  const Rates *rates = nullptr;
  const std::vector<Cost> *costs = nullptr;
  const std::vector<Step> *steps = nullptr;
  uint32_t residentWorkgroups = 1;
  PathSetup path;
  Loop loop;
  bool packedFloatOverlaps = false;
};

/// Runs the workgroups in order, as many at a time as fit.
UnitResult runUnit(const UnitSetup &setup,
                   const std::vector<const WorkgroupTrace *> &workgroups);

} // namespace hipsim::timing
