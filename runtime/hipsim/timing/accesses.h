// Which cache lines and LDS banks a memory instruction is about to touch.
#pragma once

#include "runtime/hipsim/exec/wave.h"

#include <cstdint>

namespace hipsim::timing {

struct Touched {
  /// Distinct 128-byte lines: 64 lanes of 16 bytes touch at most two each.
  uint64_t line[2 * laneCount];
  uint16_t lineCount = 0;
  uint16_t chunks = 0; ///< Distinct 64-byte blocks.
  uint16_t ldsClk = 0, ldsIdealClk = 0;
  uint32_t bytes = 0;
  bool write = false; ///< A store or an atomic.
};

/// Looks at the registers before the instruction is executed.
Touched touchedBy(const Wave &wave, const Step &step);

/// Bytes that a lane moves ("..._dwordx4": 16), from the mnemonic.
uint32_t bytesOfLane(const Instruction &in);
/// A store or an atomic.
bool writesMemory(const Instruction &in);

/// Clocks of LDS for one access of `bytes` (4, 8, 12, 16) a lane: lanes go in
/// groups that together ask for 128 bytes; a group takes as many clocks as the
/// busiest of 32 banks has different dwords.
uint32_t ldsClocks(const uint32_t *address, uint64_t lanes, uint32_t bytes);

} // namespace hipsim::timing
