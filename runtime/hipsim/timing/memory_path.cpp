// Servers with a rate and a latency; see memory_path.h.
#include "runtime/hipsim/timing/memory_path.h"

#include "runtime/hipsim/timing/footprint.h"

#include <algorithm>

namespace hipsim::timing {

namespace {

/// Takes `bytes` at `rate` from `clk` on; returns when the last has passed.
double serve(double &free, double clk, double bytes, double rate) {
  free = std::max(free, clk) + bytes / rate;
  return free;
}

} // namespace

LineCache::Way &LineCache::touch(uint64_t line, bool &hit) {
  constexpr size_t associativity = 16;
  size_t sets = ways.size() / associativity;
  Way *set = ways.data() + line % sets * associativity, *oldest = set;
  ++clock;
  for (size_t i = 0; i < associativity; ++i) {
    Way &way = set[i];
    if (way.line == line) {
      way.use = clock;
      hit = true;
      return way;
    }
    if (way.use < oldest->use)
      oldest = &way;
  }
  hit = false;
  *oldest = {line, clock, 0};
  return *oldest;
}

MemoryPath::MemoryPath(const Rates &rates, const PathSetup &setup)
    : rates(rates), setup(setup),
      l1(uint32_t(rates.l1Kib * 1024) / lineBytes),
      scalar(uint32_t(rates.scalarCacheKib * 1024) / lineBytes),
      hbmLatency(rates.hbmLatencyUs * rates.clockGhz * 1e3),
      mallLatency(rates.mallLatencyUs * rates.clockGhz * 1e3) {}

double MemoryPath::fromL2(const Line &line, uint64_t workgroup, double clk) {
  ++counters.l2Reads;
  counters.l2ReadBytes += lineBytes;
  double passed = serve(l2Free, clk, lineBytes, setup.l2Rate);
  LineSource source = line.first ? setup.footprint->source(line, workgroup)
                                 : LineSource::L2;
  switch (source) {
  case LineSource::L2:
    ++counters.l2Hits;
    return passed + rates.l2LatencyClk;
  case LineSource::Mall:
    counters.mallBytes += lineBytes;
    return serve(mallFree, clk, lineBytes, setup.mallRate) + mallLatency;
  case LineSource::Hbm:
    break;
  }
  counters.hbmReadBytes += lineBytes;
  return serve(hbmFree, clk, lineBytes, setup.hbmRate) + hbmLatency;
}

void MemoryPath::toL2(const Line &line, uint64_t workgroup, double bytes,
                      double clk) {
  counters.l2WriteBytes += uint64_t(bytes);
  serve(l2Free, clk, bytes, setup.l2Rate);
  // L2 writes a line back once, whoever wrote to it how often.
  if (line.first && setup.footprint->writesBack(line, workgroup)) {
    counters.hbmWriteBytes += lineBytes;
    serve(hbmFree, clk, lineBytes, setup.hbmRate);
  }
}

double MemoryPath::vectorAccess(const WaveTrace &wave, const Access &access,
                                bool store, uint64_t workgroup, double clk) {
  double busy = std::max(rates.vectorMemoryIssueClk,
                         access.chunks * 64.0 / rates.l1BytesPerClk);
  double begin = std::max(l1Free, clk);
  l1Free = begin + busy;
  ++counters.l1Requests;
  counters.l1Lines += access.lineCount;
  counters.l1Bytes += access.chunks * 64;
  double done = l1Free + rates.l1LatencyClk;
  for (uint32_t i = 0; i < access.lineCount; ++i) {
    const Line &line = wave.lines[access.firstLine + i];
    double at = begin + busy * (i + 1) / access.lineCount;
    if (line.write) {
      // Stores write through; only their share of the line moves.
      toL2(line, workgroup, access.chunks * 64.0 / access.lineCount, at);
      done = std::max(done, l2Free + rates.l2LatencyClk);
    } else {
      bool hit;
      LineCache::Way &way = l1.touch(line.number, hit);
      counters.l1Hits += hit;
      if (!hit)
        way.filled = fromL2(line, workgroup, at);
      done = std::max(done, way.filled);
    }
  }
  if (!store)
    counters.inFlightByteClk += access.chunks * 64.0 * (done - clk);
  return done;
}

double MemoryPath::scalarAccess(const WaveTrace &wave, const Access &access,
                                uint64_t workgroup, double clk) {
  double done = clk + rates.scalarLatencyClk;
  for (uint32_t i = 0; i < access.lineCount; ++i) {
    const Line &line = wave.lines[access.firstLine + i];
    ++counters.scalarRequests;
    bool hit;
    LineCache::Way &way = scalar.touch(line.number, hit);
    counters.scalarHits += hit;
    if (!hit)
      way.filled = fromL2(line, workgroup, clk);
    done = std::max(done, way.filled);
  }
  return done;
}

double MemoryPath::drained() const { return std::max({l1Free, l2Free, hbmFree, mallFree}); }

} // namespace hipsim::timing
