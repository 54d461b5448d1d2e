// Eight-bit floats: decode tables and round-to-nearest-even encoders.
//
// gfx942 has the FNUZ variants (no infinities, no -0; 0x80 is NaN), gfx950 the
// OCP ones (e4m3fn without infinities, e5m2 with). Same opcodes.
#pragma once

#include "runtime/hipsim/isa/instruction.h"

#include <cstdint>

namespace hipsim {

enum class Float8 : uint8_t { E4M3Fnuz, E5M2Fnuz, E4M3, E5M2, Count };

/// fp8 (e4m3) or bf8 (e5m2) of an architecture.
Float8 float8Of(Arch arch, bool bf8);
/// 256 values, by code.
const float *float8Values(Float8 format);
/// Rounds to nearest even. A value beyond the range becomes the largest finite
/// one if `saturate` (MODE.FP16_OVFL), else NaN (infinity for E5M2).
uint8_t encodeFloat8(Float8 format, float value, bool saturate);
/// Rounds stochastically: adds `random`'s high bits below the last bit kept.
uint8_t encodeFloat8Stochastic(Float8 format, float value, uint32_t random,
                               bool saturate);

} // namespace hipsim
