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
  /// Bytes of a line that an instruction accesses.
  using Touched = std::unordered_map<uint64_t, uint64_t>;

  Cache &cacheOf(const Workgroup &group) { return caches[group.linearId % dies]; }
  void load(Wave &wave, const Step &step, const Touched &touched, Cache &cache);
  void store(Wave &wave, const Step &step, const Touched &touched, Cache &cache);
  void release(uint64_t number, Line &line);
  bool chance();

  Cache caches[dies];
  Touched scratch;
  uint64_t state;
};

} // namespace hipsim
