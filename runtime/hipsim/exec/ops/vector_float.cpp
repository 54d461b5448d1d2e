// Vector f32 and f64 arithmetic, transcendentals and division helpers.
#include "runtime/hipsim/exec/ops/float_math.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

HIPSIM_INLINE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HIPSIM_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

// The transcendental unit: about 1 ulp, subnormals flushed.
HIPSIM_INLINE float reciprocal(float a) { return flush(1.0f / flush(a)); }
HIPSIM_INLINE float reciprocalRoot(float a) {
  return float(1.0 / __builtin_sqrt(double(flush(a))));
}
HIPSIM_INLINE float squareRoot(float a) { return __builtin_sqrtf(flush(a)); }
/// 2^a in f64: the integer part goes to the exponent, Taylor's series in
/// f * ln 2 for the rest (|f| <= 1/2; the first term left out is below 1e-11).
HIPSIM_INLINE float exponential(float a) {
  double x = double(flush(a));
  double limited = x < -160.0 ? -160.0 : x > 160.0 ? 160.0 : x;
  double whole = __builtin_rint(limited);
  double t = (limited - whole) * 0.6931471805599453;
  double sum = 1.0 / 362880;
  constexpr double inverse[] = {1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                                1.0 / 120,   1.0 / 24,   1.0 / 6,
                                1.0 / 2,     1.0,        1.0};
  for (double coefficient : inverse)
    sum = fma(sum, t, coefficient);
  float result = flush(float(sum * powerOfTwo(i32(whole))));
  return isNan(a) ? quiet(a) : result;
}
/// log2 a in f64: a = m * 2^e with m in [sqrt(1/2), sqrt(2)), and
/// ln m = 2 atanh((m - 1) / (m + 1)) by its series (rest below 1e-12).
HIPSIM_INLINE float logarithm(float a) {
  float x = flush(a);
  u32 u = bits<u32>(x);
  i32 exponent = i32(u - 0x3f3504f3u) >> 23;
  double m = bits<float>(u - (u32(exponent) << 23));
  double s = (m - 1.0) / (m + 1.0), s2 = s * s;
  double sum = 1.0 / 13;
  constexpr double inverse[] = {1.0 / 11, 1.0 / 9, 1.0 / 7,
                                1.0 / 5,  1.0 / 3, 1.0};
  for (double coefficient : inverse)
    sum = fma(sum, s2, coefficient);
  float result = float(double(exponent) + 2.0 * s * sum * 1.4426950408889634);
  result = x == 0 ? -infinity(0.f) : x < 0 ? bits<float>(0xffc00000u) : result;
  return isNan(a) ? quiet(a) : x == infinity(0.f) ? x : result;
}
/// Inputs are revolutions.
HIPSIM_INLINE float sine(float a) {
  return float(__builtin_sin((double(a) - __builtin_floor(double(a))) * 6.283185307179586));
}
HIPSIM_INLINE float cosine(float a) {
  return float(__builtin_cos((double(a) - __builtin_floor(double(a))) * 6.283185307179586));
}
HIPSIM_INLINE float fractional(float a) {
  float f = a - __builtin_floorf(a);
  return f < 1.0f ? f : isNan(f) ? f : bits<float>(0x3f7fffffu);
}
HIPSIM_INLINE double fractional(double a) {
  double f = a - __builtin_floor(a);
  return f < 1.0 ? f : isNan(f) ? f : bits<double>(0x3fefffffffffffffull);
}

/// v_div_scale: the operand `a` (denominator or numerator) scaled away from
/// the ends of the range; `scaled` says that v_div_fmas must scale back.
template <class T>
HIPSIM_INLINE T divideScale(T a, T denominator, T numerator, bool &scaled) {
  using F = FloatTraits<T>;
  scaled = false;
  if (numerator == 0 || denominator == 0)
    return __builtin_nanf("");
  i32 apart = exponentOf(numerator) - exponentOf(denominator);
  if (apart >= F::farApart) {
    scaled = true;
    return a == denominator ? scale(a, F::scaleBy) : a;
  }
  if (isSubnormal(denominator))
    return scale(a, F::scaleBy);
  bool tinyInverse = isSubnormal(T(1) / denominator);
  bool tinyQuotient = isSubnormal(numerator / denominator);
  if (tinyInverse && tinyQuotient) {
    // Down: the published formula says up, which would overflow, and the
    // correction in v_div_fmas (2^-64 for a small quotient) fits only this.
    scaled = true;
    return a == denominator ? scale(a, -F::scaleBy) : a;
  }
  if (tinyInverse)
    return scale(a, -F::scaleBy);
  if (tinyQuotient) {
    scaled = true;
    return a == numerator ? scale(a, F::scaleBy) : a;
  }
  return exponentOf(numerator) <= F::smallNumerator ? scale(a, F::scaleBy) : a;
}
template <class T> void divideScaleLanes(Wave &w, const Step &s) {
  Row scratch[7];
  auto a = View<T>::fetch(w, s, 0, scratch);
  auto b = View<T>::fetch(w, s, 1, scratch + 2);
  auto c = View<T>::fetch(w, s, 2, scratch + 4);
  u64 flags = 0;
  T results[laneCount];
  for (u32 l = 0; l < laneCount; ++l) {
    bool scaled;
    results[l] = divideScale<T>(a.at(l), b.at(l), c.at(l), scaled);
    flags |= u64(scaled) << l;
  }
  writeLanes<T>(w, s, [&](u32 l) { return results[l]; });
  store64(w.sgpr + s.dst2, flags & exec(w));
}

/// (a * b + c) * 2^exponent rounded once: the sum is kept to a few bits more
/// than the result has, the last of them sticky (rounding to odd).
HIPSIM_INLINE float scaledFma(float a, float b, float c, i32 exponent) {
  double product = double(a) * double(b), sum = product + c;
  double other = sum - product;
  double lost = (product - (sum - other)) + (double(c) - other);
  u64 u = bits<u64>(sum);
  if (lost != 0 && exponentOf(sum) != 2047)
    u = ((lost < 0) != signBit(sum) ? u - 1 : u) | 1;
  return float(bits<double>(u) * powerOfTwo(exponent));
}
HIPSIM_INLINE double scaledFma(double a, double b, double c, i32 exponent) {
  double product = a * b, rest = fma(a, b, -product), sum = product + c;
  double other = sum - product;
  double lost = (product - (sum - other)) + (c - other) + rest;
  long double wide = static_cast<long double>(sum) + lost;
  long double error = lost - (wide - sum);
  u64 mantissa[2] = {};
  __builtin_memcpy(mantissa, &wide, 10);
  if (error != 0 && exponentOf(sum) != 2047) {
    mantissa[0] = ((error < 0) != (wide < 0) ? mantissa[0] - 1 : mantissa[0]) | 1;
    __builtin_memcpy(&wide, mantissa, 10);
  }
  return double(__builtin_ldexpl(wide, exponent));
}

/// v_div_fmas: fma, then back by what v_div_scale scaled; the side follows
/// from the size of the quotient estimate (the addend).
template <class T> void divideFmas(Wave &w, const Step &s) {
  constexpr i32 one = FloatTraits<T>::maxExponent / 2; // Exponent of 1.0.
  Row scratch[6];
  auto a = View<T>::fetch(w, s, 0, scratch);
  auto b = View<T>::fetch(w, s, 1, scratch + 2);
  auto c = View<T>::fetch(w, s, 2, scratch + 4);
  u64 flags = vcc(w);
  T results[laneCount];
  for (u32 l = 0; l < laneCount; ++l) {
    T x = a.at(l), y = b.at(l), estimate = c.at(l);
    i32 back = exponentOf(estimate) > one ? FloatTraits<T>::scaleBy
                                          : -FloatTraits<T>::scaleBy;
    results[l] = flags >> l & 1 ? scaledFma(x, y, estimate, back)
                                : fma(x, y, estimate);
  }
  writeResult<T>(w, s, [&](u32 l) { return results[l]; });
}

template <class T>
HIPSIM_INLINE T divideFixup(T quotient, T denominator, T numerator) {
  bool negative = signBit(denominator) != signBit(numerator);
  T zero = negative ? T(-0.0) : T(0), huge = negative ? -infinity(T()) : infinity(T());
  if (isNan(numerator))
    return quiet(numerator);
  if (isNan(denominator))
    return quiet(denominator);
  bool infD = exponentOf(denominator) == FloatTraits<T>::maxExponent;
  bool infN = exponentOf(numerator) == FloatTraits<T>::maxExponent;
  if ((denominator == 0 && numerator == 0) || (infD && infN))
    return -T(__builtin_nan(""));
  if (denominator == 0 || infN)
    return huge;
  if (infD || numerator == 0)
    return zero;
  if (exponentOf(numerator) - exponentOf(denominator) <
      FloatTraits<T>::underflow)
    return zero;
  // inf - inf in the refinement: the quotient is beyond the range.
  if (isNan(quotient))
    return huge;
  T magnitude = signBit(quotient) ? -quotient : quotient;
  return negative ? -magnitude : magnitude;
}

constexpr Operation trans(Operation operation) {
  operation.stepClass = StepClass::Transcendental;
  return operation;
}
constexpr Operation floating(Handler handler, ValueType type) {
  Operation operation = custom(handler, StepClass::Vector, type);
  operation.floatResult = true;
  return operation;
}

const Entry entries[] = {
    {Op::V_ADD_F32, lanewise<[](float a, float b) { return a + b; }>()},
    {Op::V_SUB_F32, lanewise<[](float a, float b) { return a - b; }>()},
    {Op::V_SUBREV_F32, lanewise<[](float a, float b) { return b - a; }>()},
    {Op::V_MUL_F32, lanewise<[](float a, float b) { return a * b; }>()},
    {Op::V_MUL_LEGACY_F32, lanewise<[](float a, float b) {
       return a == 0 || b == 0 ? 0.0f : a * b; }>()},
    {Op::V_FMA_F32, lanewise<[](float a, float b, float c) { return fma(a, b, c); }>()},
    {Op::V_FMAAK_F32, lanewise<[](float a, float b, float c) { return fma(a, b, c); }>()},
    {Op::V_FMAMK_F32, lanewise<[](float a, float b, float c) { return fma(a, b, c); }>()},
    {Op::V_FMAC_F32, accumulating<[](float a, float b, float c) { return fma(a, b, c); }>()},
    {Op::V_MIN_F32, lanewise<[](float a, float b) { return minNumber(a, b); }>()},
    {Op::V_MAX_F32, lanewise<[](float a, float b) { return maxNumber(a, b); }>()},
    {Op::V_MIN3_F32, lanewise<[](float a, float b, float c) {
       return minNumber(minNumber(a, b), c); }>()},
    {Op::V_MAX3_F32, lanewise<[](float a, float b, float c) {
       return maxNumber(maxNumber(a, b), c); }>()},
    {Op::V_MED3_F32, lanewise<[](float a, float b, float c) { return median(a, b, c); }>()},
    {Op::V_MINIMUM3_F32, lanewise<[](float a, float b, float c) {
       return isNan(a) | isNan(b) | isNan(c) ? quiet(a + b + c) : minNumber(minNumber(a, b), c); }>()},
    {Op::V_MAXIMUM3_F32, lanewise<[](float a, float b, float c) {
       return isNan(a) | isNan(b) | isNan(c) ? quiet(a + b + c) : maxNumber(maxNumber(a, b), c); }>()},
    {Op::V_FRACT_F32, lanewise<[](float a) { return fractional(a); }>()},
    {Op::V_TRUNC_F32, lanewise<[](float a) { return __builtin_truncf(a); }>()},
    {Op::V_CEIL_F32, lanewise<[](float a) { return __builtin_ceilf(a); }>()},
    {Op::V_FLOOR_F32, lanewise<[](float a) { return __builtin_floorf(a); }>()},
    {Op::V_RNDNE_F32, lanewise<[](float a) { return __builtin_rintf(a); }>()},
    {Op::V_LDEXP_F32, lanewise<[](float a, i32 e) { return scale(a, e); }>()},
    {Op::V_FREXP_MANT_F32, lanewise<[](float a) { return fraction(a); }>()},
    {Op::V_FREXP_EXP_I32_F32, lanewise<[](float a) { return binaryExponent(a); }>()},
    {Op::V_RCP_F32, trans(lanewise<[](float a) { return reciprocal(a); }>())},
    {Op::V_RCP_IFLAG_F32, trans(lanewise<[](float a) { return reciprocal(a); }>())},
    {Op::V_RSQ_F32, trans(lanewise<[](float a) { return reciprocalRoot(a); }>())},
    {Op::V_SQRT_F32, trans(lanewise<[](float a) { return squareRoot(a); }>())},
    {Op::V_EXP_F32, trans(lanewise<[](float a) { return exponential(a); }>())},
    {Op::V_EXP_LEGACY_F32, trans(lanewise<[](float a) { return exponential(a); }>())},
    {Op::V_LOG_F32, trans(lanewise<[](float a) { return logarithm(a); }>())},
    {Op::V_LOG_LEGACY_F32, trans(lanewise<[](float a) { return logarithm(a); }>())},
    {Op::V_SIN_F32, trans(lanewise<[](float a) { return sine(a); }>())},
    {Op::V_COS_F32, trans(lanewise<[](float a) { return cosine(a); }>())},

    {Op::V_ADD_F64, lanewise<[](double a, double b) { return a + b; }>()},
    {Op::V_MUL_F64, lanewise<[](double a, double b) { return a * b; }>()},
    {Op::V_FMA_F64, lanewise<[](double a, double b, double c) { return fma(a, b, c); }>()},
    {Op::V_FMAC_F64, accumulating<[](double a, double b, double c) { return fma(a, b, c); }>()},
    {Op::V_MIN_F64, lanewise<[](double a, double b) { return minNumber(a, b); }>()},
    {Op::V_MAX_F64, lanewise<[](double a, double b) { return maxNumber(a, b); }>()},
    {Op::V_LDEXP_F64, lanewise<[](double a, i32 e) { return scale(a, e); }>()},
    {Op::V_FRACT_F64, lanewise<[](double a) { return fractional(a); }>()},
    {Op::V_TRUNC_F64, lanewise<[](double a) { return __builtin_trunc(a); }>()},
    {Op::V_CEIL_F64, lanewise<[](double a) { return __builtin_ceil(a); }>()},
    {Op::V_FLOOR_F64, lanewise<[](double a) { return __builtin_floor(a); }>()},
    {Op::V_RNDNE_F64, lanewise<[](double a) { return __builtin_rint(a); }>()},
    {Op::V_FREXP_MANT_F64, lanewise<[](double a) { return fraction(a); }>()},
    {Op::V_FREXP_EXP_I32_F64, lanewise<[](double a) { return binaryExponent(a); }>()},
    {Op::V_RCP_F64, trans(lanewise<[](double a) { return 1.0 / a; }>())},
    {Op::V_RSQ_F64, trans(lanewise<[](double a) { return 1.0 / __builtin_sqrt(a); }>())},
    {Op::V_SQRT_F64, trans(lanewise<[](double a) { return __builtin_sqrt(a); }>())},

    {Op::V_DIV_SCALE_F32, custom(&divideScaleLanes<float>)},
    {Op::V_DIV_SCALE_F64, custom(&divideScaleLanes<double>, StepClass::Vector, ValueType::F64)},
    {Op::V_DIV_FMAS_F32, floating(&divideFmas<float>, ValueType::B32)},
    {Op::V_DIV_FMAS_F64, floating(&divideFmas<double>, ValueType::F64)},
    {Op::V_DIV_FIXUP_F32, lanewise<[](float a, float b, float c) { return divideFixup(a, b, c); }>()},
    {Op::V_DIV_FIXUP_F64, lanewise<[](double a, double b, double c) { return divideFixup(a, b, c); }>()},
};

} // namespace

void addVectorFloat(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
