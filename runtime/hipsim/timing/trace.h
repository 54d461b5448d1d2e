// What is remembered of an executed workgroup: for a sample of them every
// instruction of every wave, for all the cache lines they touched.
//
// Recording looks at a step before it is executed and changes nothing. It only
// happens while a profile is taken (Dispatch::recorder); otherwise its price is
// one test of a pointer a quantum.
#pragma once

#include "runtime/hipsim/exec/wave.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace hipsim::timing {

/// A memory access of a wave instruction, as the caches and LDS see it.
struct Access {
  uint32_t firstLine = 0;  ///< In WaveTrace::lines.
  uint16_t lineCount = 0;  ///< Distinct 128-byte lines.
  uint16_t chunks = 0;     ///< Distinct 64-byte blocks of them.
  uint16_t ldsClk = 0;     ///< Clocks of LDS with bank conflicts.
  uint16_t ldsIdealClk = 0;
  uint32_t bytes = 0;      ///< Asked for by active lanes.
};

/// A line with two flags: nobody of the workgroup had read (or, for a store,
/// written) it before.
struct Line {
  uint64_t number : 62;
  uint64_t first : 1;
  uint64_t write : 1;
};

struct Event {
  uint32_t step = 0;
  uint32_t access = none; ///< In WaveTrace::accesses.
  static constexpr uint32_t none = ~0u;
};

struct WaveTrace {
  std::vector<Event> events;
  std::vector<Access> accesses;
  std::vector<Line> lines;
};

struct WorkgroupTrace {
  uint64_t id = 0;
  bool detailed = false;
  bool keepsLines = false;
  uint64_t instructions = 0;
  std::vector<WaveTrace> waves;          ///< Empty unless detailed.
  std::vector<uint64_t> lines;           ///< number << 1 | write; see finish().
  std::unordered_set<uint64_t> seen;     ///< The same, while detailed.

  /// Notes what `step` is about to do.
  void record(const Wave &wave, const Step &step);
  /// Sorts the lines and drops repetitions.
  void finish();

private:
  void noteMemory(const Wave &wave, const Step &step, WaveTrace *into);
};

/// Executes steps like the scheduler, recording each.
uint32_t runRecorded(WorkgroupTrace &trace, Wave &wave, uint32_t quantum);

/// Collects the traces of one dispatch. Thread-safe.
class Recorder {
public:
  /// `sample`: workgroups to record in detail, chosen by `seed`.
  Recorder(uint64_t workgroups, uint32_t sample, uint64_t seed);

  std::unique_ptr<WorkgroupTrace> begin(uint64_t id, uint32_t waves);
  void end(std::unique_ptr<WorkgroupTrace> trace);

  /// Instructions by workgroup; 0 for those that were not executed.
  std::vector<uint32_t> weights;
  /// In order of ids. At least one has details if any was executed.
  std::vector<std::unique_ptr<WorkgroupTrace>> traces;

private:
  bool isSampled(uint64_t id) const;

  std::mutex mutex;
  uint64_t workgroups, seed;
  uint32_t sample;
  uint64_t events = 0, lines = 0;
};

} // namespace hipsim::timing
