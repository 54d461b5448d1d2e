// Prints what hipsim's trace reports: instructions with the registers that they
// changed, and whole waves at breakpoints.
#pragma once

#include "runtime/hipsim/hip/hipsim_trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace moec::hipsimrun {

/// Lives until the launches that it watches have ended.
class TracePrinter {
public:
  std::vector<uint64_t> waves;       ///< Traced; numbers in the grid.
  std::vector<uint64_t> breakpoints; ///< Offsets in .text.
  uint64_t breakHits = 1;            ///< Stops printed, at most.
  uint32_t lanes = 8;                ///< Lanes of a register that are printed.
  bool dumpAtEnd = false;            ///< All registers of a traced wave at s_endpgm.
  bool json = false;                 ///< An object an event.

  /// Tells hipsim; nothing is traced when nothing was asked for.
  void start();
  uint64_t hits() const { return seen; }

private:
  static void onEvent(const hipsim_trace_event *event, void *self);
  void event(const hipsim_trace_event &e);
  void printStep(const hipsim_trace_event &e);
  void printJson(const hipsim_trace_event &e);
  void printWave(const hipsim_trace_event &e);

  uint64_t seen = 0;
};

} // namespace moec::hipsimrun
