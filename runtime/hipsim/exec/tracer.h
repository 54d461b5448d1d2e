// Looking at chosen waves instruction by instruction.
//
// A dispatch with a tracer runs the waves that it watches in a loop of their
// own; all others, and every wave of other dispatches, run in the normal loop.
#pragma once

#include "runtime/hipsim/exec/wave.h"

namespace hipsim {

/// Called on the thread that runs the wave. Must not change its state.
class Tracer {
public:
  virtual ~Tracer() = default;
  virtual bool watches(const Wave &wave) const = 0;
  virtual void before(const Wave &wave, const Step &step) = 0;
  virtual void after(const Wave &wave, const Step &step) = 0;
};

/// The number of `wave` in its grid: waves of workgroup 0 first.
uint64_t waveInGrid(const Wave &wave);

/// Executes steps as the normal loop does, with a look before and after each.
uint32_t runTraced(Wave &wave, uint32_t quantum, Tracer &tracer);

} // namespace hipsim
