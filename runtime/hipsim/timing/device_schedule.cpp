// From one compute unit to the device; see device_schedule.h.
#include "runtime/hipsim/timing/device_schedule.h"

#include <algorithm>
#include <queue>

namespace hipsim::timing {

Occupancy occupancyOf(const Dispatch &dispatch, const Rates &rates) {
  const KernelDescriptor &k = *dispatch.kernel;
  uint32_t items = dispatch.block[0] * dispatch.block[1] * dispatch.block[2];
  Occupancy o;
  o.waves = (items + laneCount - 1) / laneCount;
  uint32_t granule = uint32_t(rates.vgprGranule);
  uint32_t vgprs = std::max(granule, (k.vgprs + granule - 1) / granule * granule);
  uint32_t wavesMost = uint32_t(rates.wavesPerSimd);
  uint32_t byRegisters = std::min(wavesMost, uint32_t(rates.vgprsPerLane) / vgprs);
  uint32_t perSimd = std::max(1u, byRegisters);
  o.workgroups = perSimd * simdCount / o.waves;
  o.limit = byRegisters < wavesMost ? "registers" : "waves";
  uint32_t lds = k.groupSegmentBytes + dispatch.dynamicLds;
  uint32_t byLds = lds ? uint32_t(rates.ldsKib * 1024) / lds : ~0u;
  if (byLds < o.workgroups) {
    o.workgroups = byLds;
    o.limit = "LDS";
  }
  uint32_t most = uint32_t(rates.workgroupsPerCu);
  if (o.waves > 1 && o.workgroups > most) {
    o.workgroups = most;
    o.limit = "workgroups";
  }
  o.workgroups = std::max(1u, o.workgroups);
  return o;
}

Schedule scheduleOf(const std::vector<uint32_t> &weights, uint32_t resident,
                    const Rates &rates) {
  uint32_t xcds = uint32_t(rates.xcds), units = uint32_t(rates.computeUnits) / xcds;
  struct Slot {
    double free;
    uint32_t number; ///< place * units + unit: units fill evenly.
    bool operator>(const Slot &o) const {
      return free != o.free ? free > o.free : number > o.number;
    }
  };
  Schedule best;
  for (uint32_t xcd = 0; xcd < xcds; ++xcd) {
    std::priority_queue<Slot, std::vector<Slot>, std::greater<>> slots;
    for (uint32_t i = 0; i < units * resident; ++i)
      slots.push({0, i});
    std::vector<std::vector<uint64_t>> work(units);
    std::vector<double> load(units);
    double weight = 0;
    for (uint64_t id = xcd; id < weights.size(); id += xcds) {
      Slot slot = slots.top();
      slots.pop();
      uint32_t unit = slot.number % units;
      work[unit].push_back(id);
      load[unit] += weights[id];
      weight += weights[id];
      slots.push({slot.free + weights[id] + 1, slot.number});
    }
    for (const auto &list : work)
      best.busyUnits += !list.empty();
    best.totalWeight += weight;
    size_t busiest = size_t(std::max_element(load.begin(), load.end()) - load.begin());
    if (load[busiest] > best.criticalWeight) {
      best.criticalWeight = load[busiest];
      best.xcdWeight = weight;
      best.critical = std::move(work[busiest]);
    }
  }
  return best;
}

} // namespace hipsim::timing
