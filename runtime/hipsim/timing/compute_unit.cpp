// The replay of waves on one compute unit; see compute_unit.h.
#include "runtime/hipsim/timing/compute_unit.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace hipsim::timing {

namespace {

constexpr uint64_t never = std::numeric_limits<uint64_t>::max();
constexpr size_t timelineLimit = 4000;
/// Turns of the hot loop in the timeline, and that a wave has to make for it.
constexpr uint32_t turnsShown = 2, turnsNeeded = 4;

/// Operations of a counter that may still be outstanding, with the times at
/// which they are done. They retire in order.
class Outstanding {
public:
  void add(double done) { times.push_back(std::max(done, times.empty() ? 0 : times.back())); }
  /// The time at which at most `count` are outstanding.
  double whenAtMost(size_t count) const {
    return times.size() > count ? times[times.size() - 1 - count] : 0;
  }

private:
  std::vector<double> times;
};

struct Group {
  const WorkgroupTrace *trace = nullptr;
  uint32_t live = 0, arrived = 0, order = 0;
};

struct WaveState {
  const WaveTrace *trace = nullptr;
  Group *group = nullptr;
  uint32_t number = 0, simd = 0;
  size_t position = 0;
  uint64_t ready = 0;     ///< Not worth a look before.
  uint64_t available = 0; ///< When the last instruction let the next one go.
  bool atBarrier = false;
  Wait why = Wait::None;  ///< Of the longest wait since the last issue.
  uint64_t longest = 0;
  uint64_t issued = 0;    ///< When the last instruction was.
  Outstanding vector, local;
  std::vector<uint64_t> result = std::vector<uint64_t>(registerCount);
  std::vector<uint64_t> chain = std::vector<uint64_t>(registerCount);
};

struct Simd {
  std::vector<std::unique_ptr<WaveState>> waves;
  uint64_t vectorFree = 0, matrixFree = 0;
};

uint64_t roundUp(double clk) { return (uint64_t(clk) + 3) / 4 * 4; }

class ComputeUnit {
public:
  ComputeUnit(const UnitSetup &setup, const std::vector<const WorkgroupTrace *> &work)
      : setup(setup), rates(*setup.rates), costs(*setup.costs), work(work),
        memory(rates, setup.path) {
    result.waits.resize(costs.size());
    result.finished.reserve(work.size());
  }

  UnitResult run() {
    for (uint32_t i = 0; i < setup.residentWorkgroups; ++i)
      admit(0);
    while (liveWaves)
      now = step();
    result.clk = std::max({double(lastEnd), memory.drained(), lastDone});
    std::sort(result.finished.begin(), result.finished.end());
    result.counters.memory = memory.counters;
    if (loopTurns)
      result.loopClk = double(loopEnd - loopStart) / loopTurns;
    return std::move(result);
  }

private:
  void admit(uint64_t at);
  void consider(WaveState &wave);
  /// Lets every SIMD issue at `now`; returns the next time worth a look.
  uint64_t step();
  uint64_t earliest(const WaveState &w, const Cost &cost, Wait &why) const;
  void note(WaveState &w, uint32_t step, Wait why, uint64_t clk);
  uint64_t dependencies(const WaveState &w, const Cost &cost, Wait &why) const;
  void issue(WaveState &w, const Event &event, const Cost &cost);
  void access(WaveState &w, const Event &event, const Cost &cost);
  void arrive(WaveState &w);
  void releaseIfComplete(Group &group);
  void end(WaveState &w);
  void watchLoop(const Event &event);

  const UnitSetup &setup;
  const Rates &rates;
  const std::vector<Cost> &costs;
  const std::vector<const WorkgroupTrace *> &work;
  MemoryPath memory;
  Simd simds[simdCount];
  std::vector<std::unique_ptr<Group>> groups;
  UnitResult result;
  size_t nextWork = 0;
  uint64_t now = 0, lastEnd = 0;
  double lastDone = 0, ldsFree = 0;
  uint32_t liveWaves = 0, waveNumber = 0;
  // The timeline.
  bool timelineOn = false, timelineDone = false;
  uint64_t turns = 0, mostTurns = 0, startTurn = 0, loopStart = 0, loopEnd = 0;
  uint32_t loopTurns = 0, watchedSimd = 0, watchedWave = 0;
};

void ComputeUnit::admit(uint64_t at) {
  if (nextWork == work.size())
    return;
  auto group = std::make_unique<Group>();
  group->trace = work[nextWork];
  group->order = uint32_t(nextWork++);
  uint64_t start = roundUp(double(at) + rates.workgroupStartClk);
  for (const WaveTrace &trace : group->trace->waves) {
    auto emptiest = std::min_element(
        std::begin(simds), std::end(simds),
        [](const Simd &a, const Simd &b) { return a.waves.size() < b.waves.size(); });
    auto wave = std::make_unique<WaveState>();
    wave->trace = &trace;
    wave->group = group.get();
    wave->number = waveNumber++;
    wave->simd = uint32_t(emptiest - simds);
    wave->ready = wave->available = start;
    if (group->order == 0)
      consider(*wave);
    emptiest->waves.push_back(std::move(wave));
    ++group->live;
    ++liveWaves;
  }
  // Without a loop the timeline is the beginning.
  if (group->order == 0 && mostTurns < turnsNeeded)
    timelineOn = true;
  groups.push_back(std::move(group));
}

/// The wave of the first workgroup with most turns of the hot loop is watched:
/// the timeline starts in its middle.
void ComputeUnit::consider(WaveState &wave) {
  uint64_t count = 0;
  for (const Event &e : wave.trace->events)
    count += setup.loop.found() && e.step == setup.loop.first;
  if (count < turnsNeeded || count <= mostTurns)
    return;
  mostTurns = count;
  watchedWave = wave.number;
  watchedSimd = wave.simd;
  startTurn = (count - 1) / 2;
}

uint64_t ComputeUnit::dependencies(const WaveState &w, const Cost &cost, Wait &why) const {
  uint64_t at = 0;
  auto need = [&](const RegisterRange &r, bool chained) {
    const std::vector<uint64_t> &times = chained ? w.chain : w.result;
    for (uint32_t i = r.first; i < uint32_t(r.first) + r.count; ++i)
      at = std::max(at, times[i]);
  };
  for (uint32_t i = 0; i < cost.readCount; ++i)
    need(cost.read[i], i == cost.accumulator);
  for (uint32_t i = 0; i < cost.writeCount; ++i)
    need(cost.write[i], cost.unit == Unit::Matrix);
  if (at > now)
    why = Wait::Result;
  return at;
}

uint64_t ComputeUnit::earliest(const WaveState &w, const Cost &cost, Wait &why) const {
  uint64_t at = std::max(w.available, dependencies(w, cost, why));
  auto atLeast = [&](uint64_t clk, Wait reason) {
    if (clk > at) {
      at = clk;
      why = reason;
    }
  };
  const Simd &simd = simds[w.simd];
  switch (cost.unit) {
  case Unit::Vector:
    atLeast(simd.vectorFree, Wait::Port);
    if (cost.packedFloat)
      atLeast(simd.matrixFree, Wait::Matrix);
    break;
  case Unit::Matrix:
    atLeast(simd.vectorFree, Wait::Port);
    atLeast(simd.matrixFree, Wait::Matrix);
    break;
  case Unit::Control:
    if (cost.isWait) {
      atLeast(roundUp(w.vector.whenAtMost(cost.vmcnt)), Wait::VectorMemory);
      atLeast(roundUp(w.local.whenAtMost(cost.lgkmcnt)), Wait::LdsOrScalar);
    }
    break;
  // The counters are full: the oldest has to return first.
  case Unit::VectorMemory:
    atLeast(roundUp(w.vector.whenAtMost(62)), Wait::VectorMemory);
    break;
  case Unit::Lds:
  case Unit::ScalarMemory:
    atLeast(roundUp(w.local.whenAtMost(14)), Wait::LdsOrScalar);
    break;
  default: break;
  }
  return at;
}

void ComputeUnit::note(WaveState &w, uint32_t step, Wait why, uint64_t clk) {
  result.waits[step].clk[uint32_t(why)] += clk;
  result.counters.waitedClk[uint32_t(why)] += clk;
  if (clk > w.longest) {
    w.longest = clk;
    w.why = why;
  }
}

void ComputeUnit::access(WaveState &w, const Event &event, const Cost &cost) {
  const Access &a = w.trace->accesses[event.access];
  uint64_t id = w.group->trace->id;
  double done = 0;
  if (a.ldsClk) {
    double begin = std::max(ldsFree, double(now));
    ldsFree = begin + a.ldsClk;
    done = ldsFree + rates.ldsLatencyClk;
    result.counters.ldsClk += a.ldsClk;
    result.counters.ldsConflictClk += uint64_t(std::max(0, int(a.ldsClk) - int(a.ldsIdealClk)));
  }
  if (cost.unit == Unit::ScalarMemory)
    done = memory.scalarAccess(*w.trace, a, id, double(now));
  else if (cost.unit == Unit::VectorMemory)
    done = std::max(done, memory.vectorAccess(*w.trace, a, cost.isStore, id, double(now)));
  else
    done = std::max(done, double(now) + rates.ldsLatencyClk);
  (cost.unit == Unit::VectorMemory ? w.vector : w.local).add(done);
  lastDone = std::max(lastDone, done);
}

void ComputeUnit::issue(WaveState &w, const Event &event, const Cost &cost) {
  Simd &simd = simds[w.simd];
  uint64_t waited = now - w.available;
  ++result.waits[event.step].executed;
  if (timelineOn && w.simd == watchedSimd && result.timeline.size() < (mostTurns ? timelineLimit : timelineLimit / 4))
    result.timeline.push_back({w.number, event.step, now, now + cost.busyClk, waited, waited ? w.why : Wait::None});
  UnitCounters &c = result.counters;
  ++c.issued[uint32_t(cost.unit)];
  ++c.instructions;
  c.busyClk[uint32_t(cost.unit)] += cost.busyClk;
  c.flops += cost.flops;
  w.issued = now;
  w.available = now + cost.waitClk;
  switch (cost.unit) {
  case Unit::Vector:
    simd.vectorFree = now + cost.busyClk;
    if (cost.packedFloat)
      simd.matrixFree = std::max(simd.matrixFree, now + cost.busyClk);
    break;
  case Unit::Matrix:
    simd.vectorFree = now + uint64_t(rates.vectorClk);
    simd.matrixFree = now + cost.busyClk;
    break;
  case Unit::Branch:
    if (w.position + 1 < w.trace->events.size() &&
        w.trace->events[w.position + 1].step != event.step + 1)
      w.available = now + uint64_t(rates.branchTakenClk);
    break;
  default: break;
  }
  for (uint32_t i = 0; i < cost.writeCount; ++i)
    for (uint32_t r = cost.write[i].first; r < uint32_t(cost.write[i].first) + cost.write[i].count; ++r) {
      w.result[r] = now + cost.latencyClk;
      w.chain[r] = now + cost.chainClk;
    }
  if (event.access != Event::none)
    access(w, event, cost);
  if (mostTurns && w.number == watchedWave)
    watchLoop(event);
  ++w.position;
  w.ready = w.available;
  w.longest = 0;
  if (w.available > now + 4)
    note(w, event.step, Wait::Padding, w.available - now - 4);
  if (cost.isBarrier)
    arrive(w);
}

void ComputeUnit::watchLoop(const Event &event) {
  if (event.step != setup.loop.first || timelineDone)
    return;
  if (turns == startTurn) {
    timelineOn = true;
    loopStart = now;
  } else if (timelineOn) {
    loopEnd = now;
    if (++loopTurns == turnsShown) {
      timelineOn = false;
      timelineDone = true;
    }
  }
  ++turns;
}

void ComputeUnit::arrive(WaveState &w) {
  w.atBarrier = true;
  ++w.group->arrived;
  releaseIfComplete(*w.group);
}

void ComputeUnit::releaseIfComplete(Group &group) {
  if (!group.arrived || group.arrived < group.live)
    return;
  group.arrived = 0;
  for (Simd &simd : simds)
    for (auto &w : simd.waves)
      if (w->group == &group && w->atBarrier) {
        w->atBarrier = false;
        w->ready = now + uint64_t(rates.barrierClk);
        uint32_t step = w->trace->events[w->position - 1].step;
        note(*w, step, Wait::Barrier, w->ready - w->available);
        w->available = w->ready;
      }
}

void ComputeUnit::end(WaveState &w) {
  --liveWaves;
  lastEnd = std::max(lastEnd, now);
  Group &group = *w.group;
  if (--group.live) {
    releaseIfComplete(group);
    return;
  }
  result.finished.push_back(double(now));
  admit(now);
}

uint64_t ComputeUnit::step() {
  uint64_t next = never;
  for (Simd &simd : simds) {
    uint32_t used = 0; // Units that have issued; vector and matrix share one.
    for (size_t i = 0; i < simd.waves.size(); ++i) {
      WaveState &w = *simd.waves[i];
      if (w.atBarrier)
        continue;
      if (w.ready > now) {
        next = std::min(next, w.ready);
        continue;
      }
      if (w.position == w.trace->events.size()) {
        std::unique_ptr<WaveState> ended = std::move(simd.waves[i]);
        simd.waves.erase(simd.waves.begin() + long(i--));
        end(*ended);
        next = now + 4; // Who follows has not been looked at.
        continue;
      }
      const Event &event = w.trace->events[w.position];
      const Cost &cost = costs[event.step];
      Wait why = Wait::None;
      uint64_t at = earliest(w, cost, why);
      uint32_t port = 1u << uint32_t(cost.unit == Unit::Matrix ? Unit::Vector : cost.unit);
      if (at <= now && cost.unit != Unit::Control && (used & port)) {
        at = now + 4;
        why = Wait::Port;
      }
      if (at > now) {
        w.ready = roundUp(double(at));
        note(w, event.step, why, w.ready - now);
        next = std::min(next, w.ready);
        continue;
      }
      used |= port;
      issue(w, event, cost);
      if (!w.atBarrier)
        next = std::min(next, std::max(w.ready, now + 4));
      else
        next = std::min(next, now + 4);
    }
    // Who has waited longest goes first, so that nobody starves.
    if (used && simd.waves.size() > 1)
      std::sort(simd.waves.begin(), simd.waves.end(), [](const auto &a, const auto &b) {
        return std::pair(a->issued, a->number) < std::pair(b->issued, b->number);
      });
  }
  return next == never ? now + 4 : next;
}

} // namespace

const char *waitName(Wait wait) {
  constexpr const char *names[] = {"none", "vmcnt", "lgkmcnt", "barrier",
                                   "matrix unit", "result", "issue port", "padding"};
  return names[uint32_t(wait)];
}

UnitResult runUnit(const UnitSetup &setup, const std::vector<const WorkgroupTrace *> &workgroups) {
  return ComputeUnit(setup, workgroups).run();
}

} // namespace hipsim::timing
