// What an instruction costs and depends on, worked out once a program.
#pragma once

#include "runtime/hipsim/exec/program.h"
#include "runtime/hipsim/timing/rates.h"

#include <cstdint>
#include <vector>

namespace hipsim::timing {

/// Where an instruction issues to. A SIMD issues one of each and 4 clk, but a
/// vector and a matrix instruction share the port.
enum class Unit : uint8_t {
  Vector, Matrix, Scalar, ScalarMemory, Lds, VectorMemory, Branch, Control, Count
};
const char *unitName(Unit unit);

/// Registers as one range of numbers: rows of vector registers, then scalars.
struct RegisterRange {
  uint16_t first = 0, count = 0;
};
constexpr uint32_t registerCount = temporaryRow + 128;

struct Cost {
  Unit unit = Unit::Control;
  uint16_t busyClk = 4;      ///< Of the unit.
  uint16_t latencyClk = 4;   ///< Until others may use the result.
  uint16_t chainClk = 4;     ///< Until an MFMA may accumulate onto it.
  uint16_t waitClk = 4;      ///< Until the wave's next instruction.
  bool packedFloat = false;  ///< v_pk_*_f32.
  bool isStore = false, isBarrier = false, isEnd = false, isWait = false;
  bool toLds = false;        ///< Loads to LDS.
  uint8_t vmcnt = 63, lgkmcnt = 15; ///< Of s_waitcnt.
  uint32_t flops = 0;        ///< Of a matrix instruction.
  uint8_t readCount = 0, writeCount = 0;
  uint8_t accumulator = 255; ///< Which read is SrcC of an MFMA.
  RegisterRange read[6], write[2];
};

struct Options {
  /// v_pk_*_f32 at the datasheet's rate and beside MFMAs.
  bool packedFloatOverlaps = false;
};

std::vector<Cost> costsOf(const Program &program, const Options &options);

} // namespace hipsim::timing
