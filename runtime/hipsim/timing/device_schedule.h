// Which workgroups the busiest compute unit gets, and how many fit at a time.
#pragma once

#include "runtime/hipsim/exec/dispatch.h"
#include "runtime/hipsim/timing/rates.h"

#include <cstdint>
#include <vector>

namespace hipsim::timing {

struct Occupancy {
  uint32_t workgroups = 1; ///< Of a compute unit, at a time.
  uint32_t waves = 1;      ///< Of a workgroup.
  const char *limit = "";  ///< "waves", "registers", "LDS", "workgroups".
};
Occupancy occupancyOf(const Dispatch &dispatch, const Rates &rates);

struct Schedule {
  std::vector<uint64_t> critical; ///< Workgroups of the busiest unit, in order.
  double criticalWeight = 0, xcdWeight = 0, totalWeight = 0;
  uint32_t busyUnits = 0; ///< Compute units with any work.
};
/// Deals workgroups to the XCDs in turn and, in an XCD, to the unit that has a
/// free slot first. `weights`: instructions of each.
Schedule scheduleOf(const std::vector<uint32_t> &weights, uint32_t resident,
                    const Rates &rates);

} // namespace hipsim::timing
