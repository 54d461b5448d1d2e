// Scalar float formulas that the vector operations apply lane by lane.
#pragma once

#include "runtime/hipsim/exec/ops/lanes.h"

namespace hipsim::HIPSIM_SIMD {

HIPSIM_INLINE bool signBit(float a) { return bits<u32>(a) >> 31; }
HIPSIM_INLINE bool signBit(double a) { return bits<u64>(a) >> 63; }
template <class T> HIPSIM_INLINE bool isNan(T a) { return a != a; }
HIPSIM_INLINE float quiet(float a) {
  return isNan(a) ? bits<float>(bits<u32>(a) | 0x00400000u) : a;
}
HIPSIM_INLINE double quiet(double a) {
  return isNan(a) ? bits<double>(bits<u64>(a) | 0x0008000000000000ull) : a;
}
HIPSIM_INLINE float infinity(float) { return __builtin_inff(); }
HIPSIM_INLINE double infinity(double) { return __builtin_inf(); }

/// 16-bit integers with the clamp bit.
HIPSIM_INLINE u16 clampU16(i64 v) { return u16(v < 0 ? 0 : v > 65535 ? 65535 : v); }
HIPSIM_INLINE i16 clampI16(i32 v) {
  return i16(v < -32768 ? -32768 : v > 32767 ? 32767 : v);
}

/// IEEE maxNum and minNum: a number wins over NaN, +0 over -0 for max.
template <class T> HIPSIM_INLINE T maxNumber(T a, T b) {
  bool first = (a > b) | ((a == b) & !signBit(a)) | isNan(b);
  return quiet(first ? a : b);
}
template <class T> HIPSIM_INLINE T minNumber(T a, T b) {
  bool first = (a < b) | ((a == b) & signBit(a)) | isNan(b);
  return quiet(first ? a : b);
}
template <class T> HIPSIM_INLINE T median(T a, T b, T c) {
  T low = minNumber(minNumber(a, b), c);
  T middle = maxNumber(minNumber(a, b), minNumber(maxNumber(a, b), c));
  return isNan(a) | isNan(b) | isNan(c) ? low : middle;
}

/// Subnormal f32 become zeros of the same sign, as the transcendental unit
/// does on its inputs and results.
HIPSIM_INLINE float flush(float a) {
  u32 u = bits<u32>(a);
  return (u & 0x7f800000u) == 0 ? bits<float>(u & 0x80000000u) : a;
}

/// x * 2^exponent with one rounding: exact in f64 for every f32.
HIPSIM_INLINE double powerOfTwo(i32 exponent) {
  return bits<double>(u64(exponent + 1023) << 52);
}
HIPSIM_INLINE float scale(float x, i32 exponent) {
  i32 e = exponent < -400 ? -400 : exponent > 400 ? 400 : exponent;
  return float(double(x) * powerOfTwo(e));
}
/// The f64 form rounds once because only the last factor can underflow.
HIPSIM_INLINE double scale(double x, i32 exponent) {
  i32 e = exponent < -2200 ? -2200 : exponent > 2200 ? 2200 : exponent;
  return __builtin_ldexp(x, e);
}

/// Biased exponent fields.
HIPSIM_INLINE i32 exponentOf(float a) { return bits<u32>(a) >> 23 & 0xff; }
HIPSIM_INLINE i32 exponentOf(double a) { return bits<u64>(a) >> 52 & 0x7ff; }
template <class T> struct FloatTraits;
template <> struct FloatTraits<float> {
  static constexpr i32 maxExponent = 255, scaleBy = 64, farApart = 96,
                       smallNumerator = 23, underflow = -150;
};
template <> struct FloatTraits<double> {
  static constexpr i32 maxExponent = 2047, scaleBy = 128, farApart = 768,
                       smallNumerator = 53, underflow = -1075;
};
template <class T> HIPSIM_INLINE bool isSubnormal(T a) {
  return exponentOf(a) == 0 && a != T(0);
}

/// Fraction in [0.5, 1) and exponent, so that a = fraction * 2^exponent.
HIPSIM_INLINE float fraction(float a) {
  if (a == 0 || isNan(a) || exponentOf(a) == 255)
    return quiet(a);
  float n = exponentOf(a) == 0 ? a * 0x1p24f : a;
  return bits<float>((bits<u32>(n) & 0x807fffffu) | 126u << 23);
}
HIPSIM_INLINE i32 binaryExponent(float a) {
  if (a == 0 || exponentOf(a) == 255)
    return 0;
  return exponentOf(a) == 0 ? exponentOf(a * 0x1p24f) - 126 - 24
                            : exponentOf(a) - 126;
}
HIPSIM_INLINE double fraction(double a) {
  if (a == 0 || isNan(a) || exponentOf(a) == 2047)
    return quiet(a);
  double n = exponentOf(a) == 0 ? a * 0x1p54 : a;
  return bits<double>((bits<u64>(n) & 0x800fffffffffffffull) | 1022ull << 52);
}
HIPSIM_INLINE i32 binaryExponent(double a) {
  if (a == 0 || exponentOf(a) == 2047)
    return 0;
  return exponentOf(a) == 0 ? exponentOf(a * 0x1p54) - 1022 - 54
                            : exponentOf(a) - 1022;
}

} // namespace hipsim::HIPSIM_SIMD
