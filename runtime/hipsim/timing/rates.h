// The constants of the timing model (rates.def), by architecture.
#pragma once

#include "runtime/hipsim/isa/instruction.h"

#include <cstdint>
#include <vector>

namespace hipsim::timing {

struct Rates {
#define HIPSIM_RATE(name, unit, gfx942, gfx950, kind, source) double name;
#include "runtime/hipsim/timing/rates.def"
#undef HIPSIM_RATE
};

const Rates &ratesOf(Arch arch);
/// "MI300X", "MI355X".
const char *deviceName(Arch arch);

/// A row of the table, for reports.
struct RateRow {
  const char *name, *unit, *kind, *source;
  double value;
};
std::vector<RateRow> rateRows(Arch arch);

/// Passes of an MFMA or SMFMAC (4 clk each); 0: not a matrix instruction.
uint32_t matrixPasses(const Instruction &in, Arch arch);
/// Multiplications and additions of one.
uint64_t matrixFlops(Op op);

constexpr uint32_t lineBytes = 128, simdCount = 4;

} // namespace hipsim::timing
