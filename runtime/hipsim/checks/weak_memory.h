// Global memory as the eight dies (XCDs) of a device see it: one private cache
// each, not coherent with the others.
//
// Memory itself holds what has been released. A cache is a table of lines; an
// instruction runs with the bytes of its cache swapped into memory and out
// again, so that the operations need not know. The launch runs on one thread.
#pragma once

#include "runtime/hipsim/checks/effects.h"

#include <unordered_map>

namespace hipsim {

class WeakMemory {
public:
  explicit WeakMemory(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15ull | 1) {}
  /// What is still private at the end of a kernel becomes visible.
  ~WeakMemory();

  /// Executes an instruction whose Effects::global is not None.
  void execute(Wave &wave, const Step &step, const Effects &effects);
  /// A release: buffer_wbl2 sc1 that has been waited for.
  void writeBack(const Workgroup &group);
  /// An acquire: buffer_inv sc1.
  void invalidate(const Workgroup &group);

private:
  static constexpr uint32_t dies = 8, lineBytes = 64;
  struct Line {
    uint8_t data[lineBytes];
    uint64_t valid = 0, dirty = 0; ///< A bit a byte; dirty bytes are valid.
  };
  using Cache = std::unordered_map<uint64_t, Line>; ///< By address / 64.
  /// Bytes of a line that an instruction accesses, and where it is cached.
  struct TouchedLine {
    uint64_t number, mask;
    Line *cached;
  };
  using Touched = std::vector<TouchedLine>; ///< Each line once, in order.

  Cache &cacheOf(const Workgroup &group) { return caches[group.linearId % dies]; }
  void findTouched(const Wave &wave, const Step &step, const Effects &effects,
                   Cache &cache);
  void load(Wave &wave, const Step &step, Cache &cache);
  void store(Wave &wave, const Step &step, Cache &cache);
  void release(uint64_t number, Line &line);
  bool chance();

  Cache caches[dies];
  Touched touched; ///< By the instruction that is being executed.
  uint64_t state;
};

} // namespace hipsim
