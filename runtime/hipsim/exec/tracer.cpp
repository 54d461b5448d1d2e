// The loop for waves that a tracer watches.
#include "runtime/hipsim/exec/tracer.h"

#include "runtime/hipsim/exec/dispatch.h"

using namespace hipsim;

uint64_t hipsim::waveInGrid(const Wave &w) {
  const Dispatch &d = *w.group->dispatch;
  uint64_t items = uint64_t(d.block[0]) * d.block[1] * d.block[2];
  return w.group->linearId * ((items + laneCount - 1) / laneCount) + w.index;
}

uint32_t hipsim::runTraced(Wave &w, uint32_t quantum, Tracer &tracer) {
  uint32_t left = quantum;
  do {
    const Step &s = w.steps[w.step];
    tracer.before(w, s);
    ++w.step;
    ++w.executed[uint32_t(s.stepClass)];
    s.handler(w, s);
    tracer.after(w, s);
    --left;
  } while (left && w.status == WaveStatus::Running);
  return quantum - left;
}
