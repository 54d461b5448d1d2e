// Eight-bit float tables and encoders; see float8.h.
#include "runtime/hipsim/exec/float8.h"

#include <bit>
#include <cmath>

using namespace hipsim;

namespace {

struct FormatInfo {
  int mantissaBits, bias;
  bool fnuz, hasInfinity;
  uint8_t largest, nan;
};
constexpr FormatInfo formats[] = {
    {3, 8, true, false, 0x7f, 0x80},
    {2, 16, true, false, 0x7f, 0x80},
    {3, 7, false, false, 0x7e, 0x7f},
    {2, 15, false, true, 0x7b, 0x7f},
};

float decode(const FormatInfo &f, unsigned code) {
  if (f.fnuz && code == 0x80)
    return NAN;
  unsigned magnitude = code & 0x7f;
  int exponent = int(magnitude >> f.mantissaBits);
  int mantissa = int(magnitude & ((1u << f.mantissaBits) - 1));
  float value;
  if (!f.fnuz && f.hasInfinity && exponent == 31)
    value = mantissa ? NAN : INFINITY;
  else if (!f.fnuz && !f.hasInfinity && magnitude == 0x7f)
    value = NAN;
  else if (exponent == 0)
    value = std::ldexp(float(mantissa), 1 - f.bias - f.mantissaBits);
  else
    value = std::ldexp(float(mantissa + (1 << f.mantissaBits)),
                       exponent - f.bias - f.mantissaBits);
  return code & 0x80 ? -value : value;
}

struct Tables {
  float values[int(Float8::Count)][256];
  Tables() {
    for (int format = 0; format < int(Float8::Count); ++format)
      for (unsigned code = 0; code < 256; ++code)
        values[format][code] = decode(formats[format], code);
  }
};
const Tables tables;

uint8_t overflow(const FormatInfo &f, uint8_t sign, bool saturate) {
  if (saturate)
    return sign | f.largest;
  if (f.hasInfinity)
    return sign | 0x7c;
  return f.fnuz ? f.nan : sign | f.nan;
}

/// `bump`(discarded bits, their number, last bit kept) says whether to round up.
template <class Bump>
uint8_t encode(const FormatInfo &f, float value, bool saturate, Bump bump) {
  uint32_t u = std::bit_cast<uint32_t>(value);
  uint8_t sign = u >> 24 & 0x80;
  uint32_t magnitude = u & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return f.fnuz ? f.nan : sign | f.nan;
  if (magnitude == 0x7f800000)
    return overflow(f, sign, saturate); // FP16_OVFL clamps infinities, too.
  int exponent = int(magnitude >> 23) - 127;
  uint32_t significand = magnitude >> 23 ? (magnitude & 0x7fffff) | 0x800000
                                         : (magnitude & 0x7fffff) << 1;
  if (magnitude >> 23 == 0)
    exponent = -127;
  int minExponent = 1 - f.bias;
  int shift = 23 - f.mantissaBits;
  if (exponent < minExponent)
    shift += minExponent - exponent;
  if (shift > 31) // Far below half of the smallest value.
    return f.fnuz ? 0 : sign;
  uint32_t kept = significand >> shift;
  uint32_t rest = significand & ((1u << shift) - 1);
  kept += bump(rest, shift, kept & 1);
  int biased = exponent < minExponent ? 0 : exponent - minExponent;
  // The implicit bit adds one to the exponent field by itself.
  uint32_t code = (uint32_t(biased) << f.mantissaBits) + kept;
  if (code > f.largest)
    return overflow(f, sign, saturate);
  if (code == 0)
    return f.fnuz ? 0 : sign;
  return sign | uint8_t(code);
}

} // namespace

Float8 hipsim::float8Of(Arch arch, bool bf8) {
  bool fnuz = arch == Arch::Gfx942;
  if (bf8)
    return fnuz ? Float8::E5M2Fnuz : Float8::E5M2;
  return fnuz ? Float8::E4M3Fnuz : Float8::E4M3;
}

const float *hipsim::float8Values(Float8 format) {
  return tables.values[int(format)];
}

uint8_t hipsim::encodeFloat8(Float8 format, float value, bool saturate) {
  return encode(formats[int(format)], value, saturate,
                [](uint32_t rest, int shift, uint32_t odd) -> uint32_t {
                  uint32_t half = 1u << (shift - 1);
                  return rest > half || (rest == half && odd);
                });
}

uint8_t hipsim::encodeFloat8Stochastic(Float8 format, float value,
                                       uint32_t random, bool saturate) {
  return encode(formats[int(format)], value, saturate,
                [random](uint32_t rest, int shift, uint32_t) -> uint32_t {
                  return (uint64_t(rest) + (random >> (32 - shift))) >> shift;
                });
}
