// Sharing of lines between workgroups; see footprint.h.
#include "runtime/hipsim/timing/footprint.h"

#include <algorithm>

namespace hipsim::timing {

namespace {

/// The same number in [0, 1) for a line and a workgroup every time: decides
/// which of the workgroups that share a line pays for it.
double lot(uint64_t line, uint64_t workgroup) {
  uint64_t v = line * 0x9e3779b97f4a7c15ull ^ (workgroup + 1) * 0xff51afd7ed558ccdull;
  v = (v ^ v >> 29) * 0xc4ceb9fe1a85ec53ull;
  return double((v ^ v >> 32) & 0xffffffff) / 4294967296.0;
}

} // namespace

void Footprint::build(const Recorder &recorder, const MemorySnapshot &memory,
                      const Rates &rates, uint64_t perRound, MallState &mall) {
  std::vector<const WorkgroupTrace *> kept;
  for (const auto &trace : recorder.traces)
    if (trace->keepsLines)
      kept.push_back(trace.get());
  // Workgroups go to the XCDs in turn.
  uint64_t xcds = uint64_t(rates.xcds);
  std::sort(kept.begin(), kept.end(), [&](auto *a, auto *b) {
    return std::pair(a->id % xcds, a->id) < std::pair(b->id % xcds, b->id);
  });
  std::vector<uint64_t> linesOfXcd(xcds);
  for (const WorkgroupTrace *trace : kept) {
    uint32_t xcd = uint32_t(trace->id % xcds);
    uint32_t tag = (xcd << 24 | uint32_t(trace->id / perRound & 0xffffff)) + 1;
    for (uint64_t key : trace->lines) {
      Entry &e = entries[key >> 1];
      if (key & 1) {
        ++e.writers;
        continue;
      }
      bool sameXcd = e.last && (e.last - 1) >> 24 == xcd;
      ++e.touches;
      e.fetches += !sameXcd;
      e.roundFetches += e.last != tag;
      linesOfXcd[xcd] += !sameXcd;
      e.last = tag;
    }
  }
  uint64_t l2Lines = uint64_t(rates.l2MibPerXcd * 1048576) / lineBytes;
  for (uint64_t lines : linesOfXcd)
    exceedsL2 |= lines > l2Lines;

  uint64_t mallCapacity = uint64_t(rates.mallMib * 1048576) / lineBytes;
  uint64_t before = mall.lines;
  const Allocation *allocation = nullptr;
  entries.forEach([&](uint64_t number, Entry &e) {
    if (!e.touches && !e.writers)
      return;
    // Addresses differ from process to process; predictions must not.
    uint64_t address = number * lineBytes;
    if (!allocation || address < allocation->begin || address >= allocation->end)
      allocation = memory.find(address);
    e.name = allocation ? allocation->serial << 40 | (address - allocation->begin) / lineBytes
                        : number % 32;
    uint64_t &use = mall.lastUse[number];
    e.resident = use && before - use < mallCapacity;
    use = ++mall.lines;
    ++distinctLines;
    double fromHbm = e.touches && !e.resident ? 1 : 0;
    hbmReadLines += fromHbm;
    mallLines += fetchesOf(e) - fromHbm;
    hbmWriteLines += e.writers ? 1 : 0;
  });
  // Workgroups whose lines were not kept are like the others.
  double scale = kept.empty() ? 1 : double(recorder.weights.size()) / double(kept.size());
  hbmReadLines *= scale;
  hbmWriteLines *= scale;
  mallLines *= scale;
}

LineSource Footprint::source(const Line &line, uint64_t workgroup) const {
  const Entry *e = entries.find(line.number);
  if (!e || !e->touches)
    return LineSource::Hbm;
  double at = lot(e->name, workgroup) * e->touches;
  if (!e->resident && at < 1)
    return LineSource::Hbm;
  return at < fetchesOf(*e) ? LineSource::Mall : LineSource::L2;
}

bool Footprint::writesBack(const Line &line, uint64_t workgroup) const {
  const Entry *e = entries.find(line.number);
  return !e || !e->writers || lot(e->name, workgroup) * e->writers < 1;
}

Footprint::Share Footprint::shareOf(const WorkgroupTrace &trace) const {
  Share share;
  for (const WaveTrace &wave : trace.waves)
    for (const Line &line : wave.lines) {
      const Entry *e = line.first ? entries.find(line.number) : nullptr;
      if (!e)
        continue;
      if (line.write && e->writers) {
        share.hbm += 1.0 / e->writers;
      } else if (!line.write && e->touches) {
        double fromHbm = e->resident ? 0 : 1.0 / e->touches;
        share.hbm += fromHbm;
        share.mall += fetchesOf(*e) / e->touches - fromHbm;
      }
    }
  return share;
}

} // namespace hipsim::timing
