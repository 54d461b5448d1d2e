// Which lines the workgroups of a dispatch share, and so where each comes from.
//
// L2 is simulated as a set of lines at the granularity of rounds: an XCD
// fetches a line once, or, when all its lines together exceed L2, once in every
// round of resident workgroups that touches it. MALL keeps what the last
// dispatches touched. Within a workgroup the first touch of a line decides.
#pragma once

#include "runtime/hipsim/timing/rates.h"
#include "runtime/hipsim/timing/trace.h"

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace hipsim::timing {

enum class LineSource : uint8_t { L2, Mall, Hbm };

/// A map from line numbers that tend to be consecutive.
template <class T> class LineMap {
public:
  T &operator[](uint64_t line) {
    auto &chunk = chunks[line / size];
    if (!chunk)
      chunk = std::make_unique<std::array<T, size>>();
    return (*chunk)[line % size];
  }
  const T *find(uint64_t line) const {
    auto found = chunks.find(line / size);
    return found == chunks.end() ? nullptr : &(*found->second)[line % size];
  }
  template <class F> void forEach(F f) {
    for (auto &[number, chunk] : chunks)
      for (size_t i = 0; i < size; ++i)
        f(number * size + i, (*chunk)[i]);
  }

private:
  static constexpr size_t size = 32;
  std::unordered_map<uint64_t, std::unique_ptr<std::array<T, size>>> chunks;
};

/// What MALL holds from one dispatch to the next: the lines touched last.
struct MallState {
  LineMap<uint64_t> lastUse; ///< Value of `lines` after the touch; 0: never.
  uint64_t lines = 0;        ///< Touched so far.
};

class Footprint {
public:
  /// `perRound`: workgroups that are resident at a time on the device.
  void build(const Recorder &recorder, const MemorySnapshot &memory,
             const Rates &rates, uint64_t perRound, MallState &mall);

  LineSource source(const Line &line, uint64_t workgroup) const;
  bool writesBack(const Line &line, uint64_t workgroup) const;

  /// Lines that go through HBM and through MALL, of the whole dispatch.
  double hbmReadLines = 0, hbmWriteLines = 0, mallLines = 0;
  uint64_t distinctLines = 0;
  bool exceedsL2 = false;
  /// The same as expected for one workgroup.
  struct Share {
    double hbm = 0, mall = 0;
  };
  Share shareOf(const WorkgroupTrace &trace) const;

private:
  struct Entry {
    uint32_t touches = 0, fetches = 0, roundFetches = 0, writers = 0;
    uint32_t last = 0; ///< XCD and round of the last touch, plus one.
    bool resident = false;
    uint64_t name = 0; ///< Allocation and offset: the same in every process.
  };
  double fetchesOf(const Entry &e) const {
    return exceedsL2 ? e.roundFetches : e.fetches;
  }
  LineMap<Entry> entries;
};

} // namespace hipsim::timing
