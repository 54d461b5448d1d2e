// From a wave's access to the time at which it is complete: TA and vector L1,
// scalar cache, L2, MALL, HBM, each with a rate and a latency.
#pragma once

#include "runtime/hipsim/timing/rates.h"
#include "runtime/hipsim/timing/trace.h"

#include <cstdint>
#include <vector>

namespace hipsim::timing {

class Footprint;

struct MemoryCounters {
  uint64_t l1Requests = 0, l1Lines = 0, l1Hits = 0, l1Bytes = 0;
  uint64_t l2Reads = 0, l2Hits = 0, l2WriteBytes = 0, l2ReadBytes = 0;
  uint64_t mallBytes = 0, hbmReadBytes = 0, hbmWriteBytes = 0;
  uint64_t scalarRequests = 0, scalarHits = 0;
  double inFlightByteClk = 0; ///< Bytes of loads times the clocks they took.
};

/// This compute unit's share of what it shares, in bytes a clock.
struct PathSetup {
  double l2Rate = 64, mallRate = 64, hbmRate = 64;
  const Footprint *footprint = nullptr;
};

/// Lines of a cache, 16 ways a set, least recently used out first.
class LineCache {
public:
  explicit LineCache(uint32_t lines) : ways(lines) {}
  struct Way {
    uint64_t line = ~0ull, use = 0;
    double filled = 0; ///< When its data arrives.
  };
  /// The way of the line; `hit` says whether it was there already. The caller
  /// sets `filled` after a miss.
  Way &touch(uint64_t line, bool &hit);

private:
  std::vector<Way> ways;
  uint64_t clock = 0;
};

class MemoryPath {
public:
  MemoryPath(const Rates &rates, const PathSetup &setup);

  /// When the access that issues at `clk` has returned (a load) or has been
  /// acknowledged by L2 (a store).
  double vectorAccess(const WaveTrace &wave, const Access &access, bool store,
                      uint64_t workgroup, double clk);
  double scalarAccess(const WaveTrace &wave, const Access &access,
                      uint64_t workgroup, double clk);
  /// When everything, write-backs too, is done.
  double drained() const;

  MemoryCounters counters;

private:
  double fromL2(const Line &line, uint64_t workgroup, double clk);
  void toL2(const Line &line, uint64_t workgroup, double bytes, double clk);

  const Rates &rates;
  PathSetup setup;
  LineCache l1, scalar;
  double l1Free = 0, l2Free = 0, mallFree = 0, hbmFree = 0;
  double hbmLatency, mallLatency;
};

} // namespace hipsim::timing
