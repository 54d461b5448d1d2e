// Vector operations that compilers emit seldom: the rest of f16, f16 division,
// stochastic rounding, random numbers, saturating packs, byte arithmetic.
#include "runtime/hipsim/exec/ops/float_math.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

/// Writes compute(l) to the half that op_sel[3] chooses; the other is kept.
template <class Compute>
HIPSIM_INLINE void writeHalf(Wave &w, const Step &s, Compute compute) {
  u64 e = exec(w);
  u32 *d = w.rows[s.dst].lane, shift = s.opSel & 8 ? 16 : 0;
  for (u32 l = 0; l < laneCount; ++l)
    if (e >> l & 1)
      d[l] = (d[l] & ~(0xffffu << shift)) | u32(u16(compute(l))) << shift;
}

/// A quotient and its special cases, as v_div_fixup_f32.
HIPSIM_INLINE u16 fixupHalf(f16 quotient, f16 denominator, f16 numerator) {
  constexpr u16 infinityCode = 0x7c00, quietBit = 0x200, invalid = 0xfe00;
  u16 q = bits<u16>(quotient), d = bits<u16>(denominator), n = bits<u16>(numerator);
  u16 sign = (d ^ n) & 0x8000, ad = d & 0x7fff, an = n & 0x7fff;
  if (an > infinityCode)
    return n | quietBit;
  if (ad > infinityCode)
    return d | quietBit;
  if ((ad == 0 && an == 0) || (ad == infinityCode && an == infinityCode))
    return invalid;
  if (ad == 0 || an == infinityCode)
    return sign | infinityCode;
  if (ad == infinityCode || an == 0)
    return sign;
  return sign | (q & 0x7fff);
}
void divideFixupHalf(Wave &w, const Step &s) {
  Row scratch[3];
  auto q = View<f16>::fetch(w, s, 0, scratch);
  auto d = View<f16>::fetch(w, s, 1, scratch + 1);
  auto n = View<f16>::fetch(w, s, 2, scratch + 2);
  bool clamp = s.outputModifiers;
  writeHalf(w, s, [&](u32 l) {
    u16 code = fixupHalf(q.at(l), d.at(l), n.at(l));
    return clamp ? bits<u16>(clamp01(bits<f16>(code))) : code;
  });
}
void packedMultiplyAdd(Wave &w, const Step &s) {
  Row scratch[2];
  const u32 *a = row32(w, s.src[0], scratch[0]), *b = row32(w, s.src[1], scratch[1]);
  const u32 *d = w.rows[s.dst].lane;
  writeLanes<u32>(w, s, [&](u32 l) {
    u32 result = 0;
    for (u32 h = 0; h < 32; h += 16) {
      auto half = [&](u32 v) { return double(float(bits<f16>(u16(v >> h)))); };
      result |= u32(bits<u16>(f16(half(a[l]) * half(b[l]) + half(d[l])))) << h;
    }
    return result;
  });
}

HIPSIM_INLINE float sine(float a) {
  return float(__builtin_sin((double(a) - __builtin_floor(double(a))) * 6.283185307179586));
}
HIPSIM_INLINE float cosine(float a) {
  return float(__builtin_cos((double(a) - __builtin_floor(double(a))) * 6.283185307179586));
}
HIPSIM_INLINE f16 fractionalHalf(f16 a) {
  float f = float(a) - __builtin_floorf(float(a));
  f16 h = f16(f); // Just below 1 it stays there.
  return f == f && h >= f16(1) ? bits<f16>(u16(0x3bff)) : h;
}
/// [-1, 1] or [0, 1] to the integer range, NaN to 0.
HIPSIM_INLINE u32 normalizedSigned(f16 a) {
  float v = float(a), low = v > -1.f ? v : -1.f, both = low < 1.f ? low : 1.f;
  return v != v ? 0 : u32(i32(__builtin_rintf(both * 32767.f))) & 0xffff;
}
HIPSIM_INLINE u32 normalizedUnsigned(f16 a) {
  float v = float(a), low = v > 0.f ? v : 0.f, both = low < 1.f ? low : 1.f;
  return u32(__builtin_rintf(both * 65535.f));
}

/// v_ashr_pk_*: two values shifted right and saturated to bytes (rocjitsu).
template <i32 Low, i32 High> void shiftPack(Wave &w, const Step &s) {
  Row scratch[3];
  const u32 *a = row32(w, s.src[0], scratch[0]), *b = row32(w, s.src[1], scratch[1]);
  const u32 *c = row32(w, s.src[2], scratch[2]);
  auto byte = [](u32 value, u32 amount) {
    i32 v = i32(value) >> (amount & 31);
    return u32(v < Low ? Low : v > High ? High : v) & 0xff;
  };
  writeHalf(w, s, [&](u32 l) { return byte(a[l], c[l]) | byte(b[l], c[l]) << 8; });
}

/// v_bitop3_b16: as v_bitop3_b32, on halves.
void bitOperationHalf(Wave &w, const Step &s) {
  Row scratch[3];
  auto a = View<u16>::fetch(w, s, 0, scratch);
  auto b = View<u16>::fetch(w, s, 1, scratch + 1);
  auto c = View<u16>::fetch(w, s, 2, scratch + 2);
  u32 truth = u32(s.instruction->imm);
  writeHalf(w, s, [&](u32 l) {
    u32 result = 0;
    for (u32 i = 0; i < 8; ++i) {
      u32 x = i & 4 ? a.at(l) : ~a.at(l), y = i & 2 ? b.at(l) : ~b.at(l);
      u32 z = i & 1 ? c.at(l) : ~c.at(l);
      result |= truth >> i & 1 ? x & y & z : 0;
    }
    return result;
  });
}

/// Stochastic rounding of an f32: the random number's high bits are added
/// below the last bit kept, then the rest is cut off.
HIPSIM_INLINE u32 stochasticBfloat(u32 u, u32 random) {
  if ((u & 0x7f800000u) == 0x7f800000u)
    return u & 0x7fffffu ? (u >> 16) | 0x40 : u >> 16;
  return (u + (random >> 16)) >> 16;
}
HIPSIM_INLINE u32 stochasticHalf(u32 u, u32 random) {
  u32 sign = u >> 16 & 0x8000, magnitude = u & 0x7fffffffu;
  if (magnitude >= 0x7f800000u)
    return sign | 0x7c00 | (magnitude > 0x7f800000u ? 0x200 : 0);
  i32 exponent = i32(magnitude >> 23) - 127;
  if (exponent < -14) { // Subnormal: units of 2^-24.
    double units = double(bits<float>(magnitude)) * 0x1p24 + random * 0x1p-32;
    return sign | u32(units);
  }
  u32 code = ((magnitude + (random >> 19)) >> 13) - ((127 - 15) << 10);
  return sign | (code > 0x7c00 ? 0x7c00 : code);
}
template <bool Bfloat> void stochastic(Wave &w, const Step &s) {
  Row scratch[2];
  auto a = View<float>::fetch(w, s, 0, scratch);
  const u32 *random = row32(w, s.src[1], scratch[1]);
  writeHalf(w, s, [&](u32 l) {
    u32 u = bits<u32>(a.at(l));
    return Bfloat ? stochasticBfloat(u, random[l]) : stochasticHalf(u, random[l]);
  });
}

HIPSIM_INLINE u32 saturateByte(i16 v) { return u32(v < 0 ? 0 : v > 255 ? 255 : v); }
HIPSIM_INLINE u32 maskedSad(u32 a, u32 b, u32 c) {
  for (u32 i = 0; i < 32; i += 8) {
    u32 x = a >> i & 0xff, y = b >> i & 0xff;
    c += y == 0 ? 0 : x > y ? x - y : y - x;
  }
  return c;
}
HIPSIM_INLINE u32 lerpBytes(u32 a, u32 b, u32 c) {
  u32 result = 0;
  for (u32 i = 0; i < 32; i += 8)
    result |= (((a >> i & 0xff) + (b >> i & 0xff) + (c >> i & 1)) >> 1) << i;
  return result;
}

constexpr Operation floatHalf(Handler handler) {
  Operation operation = custom(handler, StepClass::Vector, ValueType::F16);
  operation.floatResult = true;
  operation.result = NumberType::F16;
  for (NumberType &t : operation.number)
    t = NumberType::F16;
  return operation;
}

const Entry entries[] = {
    {Op::V_DIV_FIXUP_F16, floatHalf(&divideFixupHalf)},
    {Op::V_PK_FMAC_F16, custom(&packedMultiplyAdd, StepClass::Vector, ValueType::PackedF16)},
    {Op::V_FRACT_F16, lanewise<[](f16 a) { return fractionalHalf(a); }>()},
    {Op::V_SIN_F16, lanewise<[](f16 a) { return f16(sine(float(a))); }>(StepClass::Transcendental)},
    {Op::V_COS_F16, lanewise<[](f16 a) { return f16(cosine(float(a))); }>(StepClass::Transcendental)},
    {Op::V_CVT_NORM_I16_F16, lanewise<[](f16 a) { return i16(normalizedSigned(a)); }>()},
    {Op::V_CVT_NORM_U16_F16, lanewise<[](f16 a) { return u16(normalizedUnsigned(a)); }>()},
    {Op::V_CVT_PKNORM_I16_F16, lanewise<[](f16 a, f16 b) {
       return normalizedSigned(a) | normalizedSigned(b) << 16; }>()},
    {Op::V_CVT_PKNORM_U16_F16, lanewise<[](f16 a, f16 b) {
       return normalizedUnsigned(a) | normalizedUnsigned(b) << 16; }>()},
    {Op::V_SAT_PK_U8_I16, lanewise<[](u32 a) {
       return u16(saturateByte(i16(a)) | saturateByte(i16(a >> 16)) << 8); }>()},
    {Op::V_PRNG_B32, lanewise<[](u32 a) { return a << 1 ^ (a >> 31 ? 0xc5u : 0u); }>()},
    {Op::V_BITOP3_B16, custom(&bitOperationHalf, StepClass::Vector, ValueType::B16)},
    {Op::V_ASHR_PK_I8_I32, custom(&shiftPack<-128, 127>)},
    {Op::V_ASHR_PK_U8_I32, custom(&shiftPack<0, 255>)},
    {Op::V_CVT_SR_F16_F32, custom(&stochastic<false>)},
    {Op::V_CVT_SR_BF16_F32, custom(&stochastic<true>)},
    {Op::V_MSAD_U8, lanewise<[](u32 a, u32 b, u32 c) { return maskedSad(a, b, c); }>()},
    {Op::V_LERP_U8, lanewise<[](u32 a, u32 b, u32 c) { return lerpBytes(a, b, c); }>()},
};

} // namespace

void addVectorRare(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
