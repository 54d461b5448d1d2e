// Recording; see trace.h.
#include "runtime/hipsim/timing/trace.h"

#include "runtime/hipsim/timing/accesses.h"

#include <algorithm>

namespace hipsim::timing {

namespace {

/// Bounds of what a recording keeps: about 200 MB of events, 250 MB of lines.
constexpr uint64_t maxEvents = 24'000'000, maxLines = 32'000'000;
/// Unsorted lines of one workgroup before they are made distinct.
constexpr size_t sortLimit = 1 << 20;

bool isMemory(StepClass c) {
  return c == StepClass::Global || c == StepClass::Buffer ||
         c == StepClass::Lds || c == StepClass::ScalarMemory ||
         c == StepClass::Scratch;
}

uint64_t mix(uint64_t v) {
  v = (v ^ v >> 33) * 0xff51afd7ed558ccdull;
  v = (v ^ v >> 33) * 0xc4ceb9fe1a85ec53ull;
  return v ^ v >> 33;
}

} // namespace

void WorkgroupTrace::noteMemory(const Wave &wave, const Step &step,
                                WaveTrace *into) {
  Touched touched = touchedBy(wave, step);
  Access access;
  access.chunks = touched.chunks;
  access.lineCount = touched.lineCount;
  access.ldsClk = touched.ldsClk;
  access.ldsIdealClk = touched.ldsIdealClk;
  access.bytes = touched.bytes;
  if (into)
    access.firstLine = uint32_t(into->lines.size());
  for (uint32_t i = 0; i < touched.lineCount; ++i) {
    uint64_t key = touched.line[i] << 1 | touched.write;
    bool first = false;
    if (into) {
      first = seen.insert(key).second;
      into->lines.push_back({touched.line[i], first, touched.write});
    }
    if (keepsLines && (!into || first))
      lines.push_back(key);
  }
  if (lines.size() > sortLimit)
    finish();
  if (into)
    into->accesses.push_back(access);
}

void WorkgroupTrace::record(const Wave &wave, const Step &step) {
  bool memory = isMemory(step.stepClass);
  ++instructions;
  if (!detailed) {
    if (memory && keepsLines && step.stepClass != StepClass::Lds)
      noteMemory(wave, step, nullptr);
    return;
  }
  WaveTrace &into = waves[wave.index];
  Event event;
  event.step = uint32_t(&step - wave.steps);
  if (memory) {
    event.access = uint32_t(into.accesses.size());
    noteMemory(wave, step, &into);
  }
  into.events.push_back(event);
}

void WorkgroupTrace::finish() {
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
}

uint32_t runRecorded(WorkgroupTrace &trace, Wave &w, uint32_t quantum) {
  const Step *steps = w.steps;
  uint32_t left = quantum;
  do {
    const Step &s = steps[w.step];
    trace.record(w, s);
    ++w.step;
    ++w.executed[uint32_t(s.stepClass)];
    s.handler(w, s);
    --left;
  } while (left && w.status == WaveStatus::Running);
  return quantum - left;
}

Recorder::Recorder(uint64_t workgroups, uint32_t sample, uint64_t seed)
    : weights(workgroups), workgroups(workgroups), seed(seed),
      sample(std::max(1u, sample)) {}

bool Recorder::isSampled(uint64_t id) const {
  // One at a random place of each of `sample` equal parts of the grid.
  if (workgroups <= sample)
    return true;
  uint64_t part = id * sample / workgroups;
  uint64_t begin = (part * workgroups + sample - 1) / sample;
  uint64_t end = ((part + 1) * workgroups + sample - 1) / sample;
  return id == begin + mix(seed * 0x9e3779b97f4a7c15ull + part) % (end - begin);
}

std::unique_ptr<WorkgroupTrace> Recorder::begin(uint64_t id, uint32_t waves) {
  auto trace = std::make_unique<WorkgroupTrace>();
  trace->id = id;
  std::lock_guard lock(mutex);
  trace->detailed = isSampled(id) && events < maxEvents;
  trace->keepsLines = lines < maxLines;
  if (trace->detailed)
    trace->waves.resize(waves);
  return trace;
}

void Recorder::end(std::unique_ptr<WorkgroupTrace> trace) {
  trace->finish();
  trace->seen = {};
  std::lock_guard lock(mutex);
  weights[trace->id] = uint32_t(std::min<uint64_t>(trace->instructions, UINT32_MAX));
  for (const WaveTrace &w : trace->waves)
    events += w.events.size();
  lines += trace->lines.size();
  if (trace->keepsLines || trace->detailed)
    traces.push_back(std::move(trace));
}

} // namespace hipsim::timing
