// Sampling, scaling and the bound; see predict.h.
#include "runtime/hipsim/timing/predict.h"

#include <algorithm>
#include <cmath>

namespace hipsim::timing {

namespace {

/// Replay at least this many rounds, then stop after so many instructions; the
/// rest of the workgroups is extrapolated at the steady rate.
constexpr uint64_t roundsAtLeast = 3, instructionsEnough = 1'500'000,
                   instructionsMost = 12'000'000;
/// A resource that is busy for less than this is no bound: latency is.
constexpr double boundShare = 0.6;

/// The recorded workgroups in order of weight.
std::vector<const WorkgroupTrace *> detailedTraces(const Recorder &recorder) {
  std::vector<const WorkgroupTrace *> detailed;
  for (const auto &trace : recorder.traces)
    if (trace->detailed)
      detailed.push_back(trace.get());
  std::sort(detailed.begin(), detailed.end(), [](auto *a, auto *b) {
    return std::pair(a->instructions, a->id) < std::pair(b->instructions, b->id);
  });
  return detailed;
}

/// The recorded workgroup that stands for `id`: itself, or one of nearly its
/// weight. Many alike take turns.
const WorkgroupTrace *standIn(const std::vector<const WorkgroupTrace *> &detailed,
                              uint64_t id, uint64_t weight) {
  auto low = std::lower_bound(detailed.begin(), detailed.end(), weight,
                              [](auto *t, uint64_t w) { return t->instructions < w; });
  if (low == detailed.end() ||
      (low != detailed.begin() &&
       weight - (*(low - 1))->instructions < (*low)->instructions - weight))
    --low;
  uint64_t nearest = (*low)->instructions;
  auto first = std::lower_bound(detailed.begin(), detailed.end(), nearest,
                                [](auto *t, uint64_t w) { return t->instructions < w; });
  auto last = std::upper_bound(detailed.begin(), detailed.end(), nearest,
                               [](uint64_t w, auto *t) { return w < t->instructions; });
  for (auto t = first; t != last; ++t)
    if ((*t)->id == id)
      return *t;
  return first[long(id / 8 % uint64_t(last - first))];
}

/// The workgroups of the critical unit that are replayed.
std::vector<const WorkgroupTrace *>
replayList(const Schedule &schedule, const std::vector<const WorkgroupTrace *> &detailed,
           const std::vector<uint32_t> &weights, uint64_t resident) {
  std::vector<const WorkgroupTrace *> list;
  uint64_t instructions = 0;
  for (uint64_t id : schedule.critical) {
    bool enough = list.size() >= roundsAtLeast * resident + 1 && instructions > instructionsEnough;
    if (enough || (list.size() >= resident && instructions > instructionsMost))
      break;
    list.push_back(standIn(detailed, id, weights[id]));
    instructions += list.back()->instructions;
  }
  return list;
}

/// Clocks for all of `total` workgroups when the first ones were replayed.
double extrapolate(const UnitResult &unit, uint64_t total, uint64_t resident) {
  uint64_t done = unit.finished.size();
  if (done >= total || done == 0)
    return unit.clk;
  double rate = unit.clk / double(done);
  if (done > 2 * resident + 1)
    rate = (unit.finished[done - 1 - resident] - unit.finished[resident - 1]) /
           double(done - 2 * resident);
  return unit.clk + double(total - done) * rate;
}

PathSetup pathOf(const Rates &rates, const Schedule &schedule, const Footprint &footprint,
                 const std::vector<const WorkgroupTrace *> &list) {
  double clkPerS = rates.clockGhz * 1e9, most = rates.l1BytesPerClk;
  // The unit's share of a device-wide rate is its share of the work that goes
  // there: units that are done early leave their bandwidth to the others.
  Footprint::Share share;
  for (const WorkgroupTrace *t : list) {
    Footprint::Share s = footprint.shareOf(*t);
    share.hbm += s.hbm;
    share.mall += s.mall;
  }
  double whole = double(schedule.critical.size()) / double(std::max<size_t>(list.size(), 1));
  auto rate = [&](double deviceTBs, double mine, double all) {
    double perClk = deviceTBs * 1e12 / clkPerS;
    return all > 0 && mine > 0 ? std::min(most, perClk * std::min(1.0, mine * whole / all)) : most;
  };
  PathSetup path;
  path.footprint = &footprint;
  path.hbmRate = rate(rates.hbmAchievableTBs, share.hbm,
                      footprint.hbmReadLines + footprint.hbmWriteLines);
  path.mallRate = rate(rates.mallTBs, share.mall, footprint.mallLines);
  path.l2Rate = std::min(most, rates.l2BytesPerClk * schedule.criticalWeight /
                                   std::max(1.0, schedule.xcdWeight));
  return path;
}

void setShares(Prediction &p, const Rates &rates, const PathSetup &path) {
  const UnitCounters &c = p.unit.counters;
  double seconds = p.kernelUs * 1e-6;
  // Of the replayed part, which the rest is like.
  double clk = std::max(1.0, p.unitClk), slots = simdCount * clk;
  double stretch = std::max(1.0, p.kernelUs * rates.clockGhz * 1e3 /
                                     std::max(1.0, p.unitClk * double(p.schedule.critical.size()) /
                                                       double(std::max<uint64_t>(1, p.replayed))));
  auto busy = [&](Unit u) { return double(c.busyClk[uint32_t(u)]); };
  p.shares.hbm = (p.hbmReadBytes + p.hbmWriteBytes) / (rates.hbmAchievableTBs * 1e12 * seconds);
  p.shares.mall = p.mallBytes / (rates.mallTBs * 1e12 * seconds);
  p.shares.l2 = double(c.memory.l2ReadBytes + c.memory.l2WriteBytes) / (path.l2Rate * clk * stretch);
  p.shares.l1 = double(c.memory.l1Bytes) / (rates.l1BytesPerClk * clk * stretch);
  p.shares.lds = double(c.ldsClk) / (clk * stretch);
  p.shares.matrix = busy(Unit::Matrix) / (slots * stretch);
  p.shares.vector = busy(Unit::Vector) / (slots * stretch);
  p.shares.scalar = (busy(Unit::Scalar) + busy(Unit::Branch)) / (slots * stretch);
}

const char *boundOf(const Prediction &p) {
  if (p.launchGapUs > p.kernelUs)
    return "launch";
  struct {
    const char *name;
    double share;
  } const candidates[] = {{"HBM", p.shares.hbm},       {"MALL", p.shares.mall},
                          {"L2", p.shares.l2},         {"L1", p.shares.l1},
                          {"LDS", p.shares.lds},       {"matrix", p.shares.matrix},
                          {"vector", p.shares.vector}, {"scalar", p.shares.scalar}};
  auto *top = std::max_element(std::begin(candidates), std::end(candidates),
                               [](auto &a, auto &b) { return a.share < b.share; });
  return top->share >= boundShare ? top->name : "latency";
}

/// Times below which no prediction may fall: the device's peaks.
double floorUs(const Prediction &p, const Rates &rates) {
  double hbm = (p.hbmReadBytes + p.hbmWriteBytes) / (rates.hbmAchievableTBs * 1e12);
  double units = double(p.unit.counters.busyClk[uint32_t(Unit::Matrix)]) * p.scale /
                 (simdCount * rates.computeUnits) / (rates.clockGhz * 1e9);
  double vector = double(p.unit.counters.busyClk[uint32_t(Unit::Vector)]) * p.scale /
                  (simdCount * rates.computeUnits) / (rates.clockGhz * 1e9);
  return std::max({hbm, units, vector}) * 1e6;
}

} // namespace

Loop hottestLoop(const Recorder &recorder, size_t steps) {
  std::vector<uint64_t> executed(steps + 1);
  std::vector<std::pair<uint32_t, uint32_t>> backward;
  for (const auto &trace : recorder.traces)
    for (const WaveTrace &wave : trace->waves)
      for (size_t i = 0; i < wave.events.size(); ++i) {
        ++executed[wave.events[i].step];
        if (i && wave.events[i].step < wave.events[i - 1].step)
          backward.emplace_back(wave.events[i].step, wave.events[i - 1].step);
      }
  std::sort(backward.begin(), backward.end());
  backward.erase(std::unique(backward.begin(), backward.end()), backward.end());
  Loop best;
  double bestDensity = 0;
  for (auto [first, last] : backward) {
    uint64_t sum = 0;
    for (uint32_t s = first; s <= last; ++s)
      sum += executed[s];
    // Hot, and dense: a loop around the hot one has cold instructions, too.
    double density = double(sum) * std::sqrt(double(sum) / double(last - first + 1));
    if (density > bestDensity) {
      bestDensity = density;
      best = {first, last, sum};
    }
  }
  return best;
}

Prediction predict(const Dispatch &dispatch, Recorder &recorder, const Options &options,
                   MallState &mall) {
  const Program &program = *dispatch.program;
  Arch arch = program.object().arch;
  const Rates &rates = ratesOf(arch);
  Prediction p;
  p.kernel = dispatch.kernel->name;
  p.codeObject = program.sha256();
  std::copy_n(dispatch.grid, 3, p.grid);
  std::copy_n(dispatch.block, 3, p.block);
  p.launchGapUs = rates.launchGapUs;
  p.workgroups = recorder.weights.size();
  p.occupancy = occupancyOf(dispatch, rates);
  p.schedule = scheduleOf(recorder.weights, p.occupancy.workgroups, rates);
  std::vector<const WorkgroupTrace *> detailed = detailedTraces(recorder);
  p.sampled = detailed.size();
  if (detailed.empty() || p.schedule.critical.empty()) {
    p.bound = "launch";
    return p;
  }
  Footprint footprint;
  footprint.build(recorder, *dispatch.memory, rates, uint64_t(rates.computeUnits) * p.occupancy.workgroups, mall);
  p.exceedsL2 = footprint.exceedsL2;
  p.loop = hottestLoop(recorder, program.steps().size());

  auto list = replayList(p.schedule, detailed, recorder.weights, p.occupancy.workgroups);
  std::vector<Cost> costs = costsOf(program, options);
  UnitSetup setup;
  setup.rates = &rates;
  setup.costs = &costs;
  setup.residentWorkgroups = p.occupancy.workgroups;
  setup.path = pathOf(rates, p.schedule, footprint, list);
  setup.loop = p.loop;
  p.unit = runUnit(setup, list);

  p.replayed = list.size();
  p.unitClk = p.unit.clk;
  p.scale = p.schedule.totalWeight / double(std::max<uint64_t>(1, p.unit.counters.instructions));
  p.hbmReadBytes = footprint.hbmReadLines * lineBytes;
  p.hbmWriteBytes = footprint.hbmWriteLines * lineBytes;
  p.mallBytes = footprint.mallLines * lineBytes;
  p.bytesInFlight = p.unit.counters.memory.inFlightByteClk / std::max(1.0, p.unit.clk);
  double clk = extrapolate(p.unit, p.schedule.critical.size(), p.occupancy.workgroups);
  p.kernelUs = std::max(clk / (rates.clockGhz * 1e3), floorUs(p, rates));
  double matrixClk = double(p.unit.counters.busyClk[uint32_t(Unit::Matrix)]);
  if (matrixClk > 0)
    p.matrixPeakTflops = double(p.unit.counters.flops) / matrixClk * simdCount *
                         rates.computeUnits * rates.clockGhz * 1e-3;
  setShares(p, rates, setup.path);
  p.bound = boundOf(p);
  return p;
}

} // namespace hipsim::timing
