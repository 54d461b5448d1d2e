// From the recording of a dispatch to a prediction of its time.
#pragma once

#include "runtime/hipsim/exec/dispatch.h"
#include "runtime/hipsim/timing/compute_unit.h"
#include "runtime/hipsim/timing/device_schedule.h"
#include "runtime/hipsim/timing/footprint.h"
#include "runtime/hipsim/timing/trace.h"

#include <string>

namespace hipsim::timing {

/// How busy each resource is during the kernel, 0 to 1.
struct Shares {
  double hbm = 0, mall = 0, l2 = 0, l1 = 0, lds = 0, matrix = 0, vector = 0,
         scalar = 0;
};

struct Prediction {
  std::string kernel, codeObject; ///< Its SHA-256.
  uint32_t grid[3] = {}, block[3] = {};
  double launchGapUs = 0, kernelUs = 0; ///< The prediction is their sum.
  const char *bound = "";
  Shares shares;
  Occupancy occupancy;
  Schedule schedule;
  uint64_t workgroups = 0, sampled = 0, replayed = 0;
  double unitClk = 0;          ///< Clocks replayed.
  double scale = 1;            ///< Counters of the device / of the unit.
  UnitResult unit;
  double hbmReadBytes = 0, hbmWriteBytes = 0, mallBytes = 0; ///< Of the device.
  double bytesInFlight = 0;    ///< Of a compute unit, loads, on average.
  double matrixPeakTflops = 0; ///< Of the matrix instructions that it used.
  Loop loop;
  bool exceedsL2 = false;

  double us() const { return launchGapUs + kernelUs; }
  double flops() const { return double(unit.counters.flops) * scale; }
};

Prediction predict(const Dispatch &dispatch, Recorder &recorder,
                   const Options &options, MallState &mall);

/// The instructions of the loop that most recorded instructions are in.
Loop hottestLoop(const Recorder &recorder, size_t steps);

} // namespace hipsim::timing
