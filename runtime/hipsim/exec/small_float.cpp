// Tables and encoders of the OCP element formats; see small_float.h.
#include "runtime/hipsim/exec/small_float.h"

#include "runtime/hipsim/exec/float8.h"

#include <algorithm>
#include <cmath>
#include <iterator>

using namespace hipsim;

namespace {

/// The formats without special values; by SmallFloat - Fp6.
struct FiniteFormat {
  int mantissaBits, bias;
  uint32_t sign; ///< The sign bit; the code below it is the largest value.
};
constexpr FiniteFormat finiteFormats[] = {{3, 1, 32}, {2, 3, 32}, {1, 1, 8}};

bool isFloat8(SmallFloat format) { return format <= SmallFloat::Bf8; }
Float8 ocpFloat8(SmallFloat format) {
  return format == SmallFloat::Fp8 ? Float8::E4M3 : Float8::E5M2;
}
const FiniteFormat &finite(SmallFloat format) {
  return finiteFormats[int(format) - int(SmallFloat::Fp6)];
}

struct Tables {
  float values[std::size(finiteFormats)][64] = {};
  Tables() {
    for (size_t i = 0; i < std::size(finiteFormats); ++i) {
      const FiniteFormat &f = finiteFormats[i];
      for (uint32_t code = 0; code < 2 * f.sign; ++code) {
        uint32_t magnitude = code & (f.sign - 1);
        int exponent = int(magnitude >> f.mantissaBits);
        int fraction = int(magnitude & ((1u << f.mantissaBits) - 1));
        float value =
            exponent ? std::ldexp(float(fraction + (1 << f.mantissaBits)),
                                  exponent - f.bias - f.mantissaBits)
                     : std::ldexp(float(fraction), 1 - f.bias - f.mantissaBits);
        values[i][code] = code & f.sign ? -value : value;
      }
    }
  }
};
const Tables tables;

/// `bump`(fraction below the last bit kept in [0, 1), last bit kept) says
/// whether to round up. NaN becomes the largest magnitude: no public document
/// says what the hardware does.
template <class Bump>
uint32_t encodeFinite(const FiniteFormat &f, double value, Bump bump) {
  uint32_t sign = std::signbit(value) ? f.sign : 0, largest = f.sign - 1;
  double magnitude = std::fabs(value);
  if (!(magnitude < 64)) // More than any format holds, infinity or NaN.
    return sign | largest;
  int exponent = magnitude > 0 ? std::ilogb(magnitude) : -1000;
  int quantum = std::max(exponent, 1 - f.bias) - f.mantissaBits;
  double scaled = std::ldexp(magnitude, -quantum), whole = std::floor(scaled);
  auto kept = uint32_t(whole);
  kept += bump(scaled - whole, kept & 1);
  // Codes of adjacent values are adjacent: a carry out of the fraction lands
  // in the exponent field by itself.
  uint32_t code = uint32_t(std::max(exponent, 1 - f.bias) - (1 - f.bias))
                      << f.mantissaBits;
  return sign | std::min(code + kept, largest);
}

double scaled(float value, int scale) { return std::ldexp(double(value), -scale); }

} // namespace

const float *hipsim::smallFloatValues(SmallFloat format) {
  return isFloat8(format) ? float8Values(ocpFloat8(format))
                          : tables.values[int(format) - int(SmallFloat::Fp6)];
}

uint32_t hipsim::encodeSmallFloat(SmallFloat format, float value, int scale,
                                  bool saturate) {
  double v = scale == nanScale ? NAN : scaled(value, scale);
  if (isFloat8(format))
    return encodeFloat8(ocpFloat8(format), float(v), saturate);
  return encodeFinite(finite(format), v, [](double rest, uint32_t odd) {
    return uint32_t(rest > 0.5 || (rest == 0.5 && odd));
  });
}

uint32_t hipsim::encodeSmallFloatStochastic(SmallFloat format, float value,
                                            int scale, uint32_t random,
                                            bool saturate) {
  double v = scale == nanScale ? NAN : scaled(value, scale);
  if (isFloat8(format))
    return encodeFloat8Stochastic(ocpFloat8(format), float(v), random, saturate);
  return encodeFinite(finite(format), v, [random](double rest, uint32_t) {
    return uint32_t(rest + random * 0x1p-32 >= 1);
  });
}

float hipsim::decodeSmallFloat(SmallFloat format, uint32_t code, int scale) {
  if (scale == nanScale)
    return NAN;
  return float(std::ldexp(double(smallFloatValues(format)[code]), scale));
}

// CDNA4 ISA, V_PRNG_B32: shift left; 0xc5 is added where a one falls out.
uint32_t hipsim::nextRandom(uint32_t state) {
  return state << 1 ^ (state >> 31 ? 0xc5u : 0u);
}
