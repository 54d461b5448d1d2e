// The OCP element formats of gfx950's scaled operations: fp8 e4m3, bf8 e5m2,
// fp6 e2m3, bf6 e3m2, fp4 e2m1, and the e8m0 scale.
//
// The enumerators are the format numbers in cbsz and blgp of the f8f6f4
// matrix instructions. The six- and four-bit formats have neither infinities
// nor NaN: conversions to them saturate.
#pragma once

#include <cstdint>

namespace hipsim {

enum class SmallFloat : uint8_t { Fp8, Bf8, Fp6, Bf6, Fp4, Count };

/// Bits of a code.
constexpr uint32_t smallFloatBits(SmallFloat format) {
  return format <= SmallFloat::Bf8 ? 8 : format <= SmallFloat::Bf6 ? 6 : 4;
}
/// The values by code: 256, 64 or 16.
const float *smallFloatValues(SmallFloat format);
/// value / 2^scale to the nearest code, ties to even. `saturate` (fp8 and bf8
/// only): MODE.FP16_OVFL.
uint32_t encodeSmallFloat(SmallFloat format, float value, int scale,
                          bool saturate);
/// The same with `random`'s high bits added below the last bit kept.
uint32_t encodeSmallFloatStochastic(SmallFloat format, float value, int scale,
                                    uint32_t random, bool saturate);
/// A code's value times 2^scale.
float decodeSmallFloat(SmallFloat format, uint32_t code, int scale);

/// v_prng_b32: one step of a linear feedback shift register.
uint32_t nextRandom(uint32_t state);

/// 2^scale by e8m0 code is 2^(code - 127), 255 is NaN: this stands for it.
constexpr int nanScale = 1 << 20;
constexpr int scaleOfE8m0(uint32_t code) {
  return code == 255 ? nanScale : int(code) - 127;
}

} // namespace hipsim
