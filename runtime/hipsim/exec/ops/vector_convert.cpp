// Conversions between number types.
#include "runtime/hipsim/exec/float8.h"
#include "runtime/hipsim/exec/ops/float_math.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

// Float to integer truncates, saturates, and turns NaN into 0.
template <class T> HIPSIM_INLINE i32 toSigned(T a) {
  T low = a > T(-2147483648.0) ? a : T(-2147483648.0);
  bool high = low >= T(2147483648.0);
  i32 value = i32(high ? T(0) : low);
  return isNan(a) ? 0 : high ? 0x7fffffff : value;
}
template <class T> HIPSIM_INLINE u32 toUnsigned(T a) {
  T low = a > T(0) ? a : T(0);
  bool high = low >= T(4294967296.0);
  u32 value = u32(high ? T(0) : low);
  return high ? ~0u : value;
}
HIPSIM_INLINE i16 toSigned16(float a) {
  i32 v = toSigned(a);
  return i16(v < -32768 ? -32768 : v > 32767 ? 32767 : v);
}
HIPSIM_INLINE u16 toUnsigned16(float a) {
  u32 v = toUnsigned(a);
  return u16(v > 65535 ? 65535 : v);
}
/// Truncates an f32 to f16 (round toward zero).
HIPSIM_INLINE u32 halfTowardZero(float a) {
  f16 nearest = f16(a);
  u16 code = bits<u16>(nearest);
  float back = float(nearest);
  bool tooLarge = __builtin_fabsf(back) > __builtin_fabsf(a);
  return u32(u16(code - (tooLarge ? 1 : 0)));
}
HIPSIM_INLINE u32 pairHalves(u32 low, u32 high) { return (low & 0xffff) | high << 16; }
/// bf16 with round to nearest even; NaN stays NaN.
HIPSIM_INLINE u32 toBfloat(float a) {
  u32 u = bits<u32>(a);
  u32 rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
  return isNan(a) ? (u >> 16) | 0x40 : rounded;
}
HIPSIM_INLINE float normalized(float a, float low) {
  float clamped = a > low ? a : low;
  return isNan(a) ? 0.0f : clamped < 1.0f ? clamped : 1.0f;
}
HIPSIM_INLINE u32 saturateU16(u32 a) { return a > 0xffff ? 0xffff : a; }
HIPSIM_INLINE u32 saturateI16(i32 a) {
  return u32(a < -32768 ? -32768 : a > 32767 ? 32767 : a) & 0xffff;
}
HIPSIM_INLINE u32 byteFloat(u32 a, u32 byte) { return a >> (8 * byte) & 0xff; }

// fp8 and bf8. The byte of a VOP3 source: op_sel[1:0], high bit first bit 0.
template <bool Bf8> void fromFloat8(Wave &w, const Step &s) {
  Row scratch;
  const u32 *a = row32(w, s.src[0], scratch);
  const float *values = float8Values(float8Of(Arch(w.arch), Bf8));
  u32 byte = s.opSel & 3;
  u32 shift = 8 * ((byte >> 1 & 1) | (byte & 1) << 1);
  writeResult<float>(w, s, [&](u32 l) { return values[a[l] >> shift & 0xff]; });
}
template <bool Bf8> void fromFloat8Pair(Wave &w, const Step &s) {
  Row scratch;
  const u32 *a = row32(w, s.src[0], scratch);
  const float *values = float8Values(float8Of(Arch(w.arch), Bf8));
  u32 shift = s.opSel & 1 ? 16 : 0;
  writeLanes<u64>(w, s, [&](u32 l) {
    return u64(bits<u32>(values[a[l] >> shift & 0xff])) |
           u64(bits<u32>(values[a[l] >> (shift + 8) & 0xff])) << 32;
  });
}
constexpr u32 modeFp16Overflow = 1u << 23;
template <bool Bf8> void toFloat8Pair(Wave &w, const Step &s) {
  Row scratch[2];
  auto a = View<float>::fetch(w, s, 0, scratch);
  auto b = View<float>::fetch(w, s, 1, scratch + 1);
  Float8 format = float8Of(Arch(w.arch), Bf8);
  bool saturate = w.mode & modeFp16Overflow;
  const u32 *d = w.rows[s.dst].lane;
  u32 shift = s.opSel & 8 ? 16 : 0;
  writeLanes<u32>(w, s, [&](u32 l) {
    u32 pair = encodeFloat8(format, a.at(l), saturate) |
               u32(encodeFloat8(format, b.at(l), saturate)) << 8;
    return (d[l] & ~(0xffffu << shift)) | pair << shift;
  });
}
/// Source 1 is the random number; op_sel[3:2] picks the destination byte.
template <bool Bf8> void toFloat8Stochastic(Wave &w, const Step &s) {
  Row scratch[2];
  auto a = View<float>::fetch(w, s, 0, scratch);
  const u32 *random = row32(w, s.src[1], scratch[1]);
  Float8 format = float8Of(Arch(w.arch), Bf8);
  bool saturate = w.mode & modeFp16Overflow;
  const u32 *d = w.rows[s.dst].lane;
  u32 shift = 8 * (s.opSel >> 2 & 3);
  writeLanes<u32>(w, s, [&](u32 l) {
    u32 code = encodeFloat8Stochastic(format, a.at(l), random[l], saturate);
    return (d[l] & ~(0xffu << shift)) | code << shift;
  });
}

const Entry entries[] = {
    {Op::V_CVT_F32_I32, lanewise<[](i32 a) { return float(a); }>()},
    {Op::V_CVT_F32_U32, lanewise<[](u32 a) { return float(a); }>()},
    {Op::V_CVT_I32_F32, lanewise<[](float a) { return toSigned(a); }>()},
    {Op::V_CVT_U32_F32, lanewise<[](float a) { return toUnsigned(a); }>()},
    {Op::V_CVT_RPI_I32_F32, lanewise<[](float a) { return toSigned(__builtin_floorf(a + 0.5f)); }>()},
    {Op::V_CVT_FLR_I32_F32, lanewise<[](float a) { return toSigned(__builtin_floorf(a)); }>()},
    {Op::V_CVT_F64_I32, lanewise<[](i32 a) { return double(a); }>()},
    {Op::V_CVT_F64_U32, lanewise<[](u32 a) { return double(a); }>()},
    {Op::V_CVT_I32_F64, lanewise<[](double a) { return toSigned(a); }>()},
    {Op::V_CVT_U32_F64, lanewise<[](double a) { return toUnsigned(a); }>()},
    {Op::V_CVT_F32_F64, lanewise<[](double a) { return float(a); }>()},
    {Op::V_CVT_F64_F32, lanewise<[](float a) { return double(a); }>()},
    {Op::V_CVT_F16_F32, lanewise<[](float a) { return f16(a); }>()},
    {Op::V_CVT_F32_F16, lanewise<[](f16 a) { return float(a); }>()},
    {Op::V_CVT_F16_U16, lanewise<[](u16 a) { return f16(float(a)); }>()},
    {Op::V_CVT_F16_I16, lanewise<[](i16 a) { return f16(float(a)); }>()},
    {Op::V_CVT_U16_F16, lanewise<[](f16 a) { return toUnsigned16(float(a)); }>()},
    {Op::V_CVT_I16_F16, lanewise<[](f16 a) { return toSigned16(float(a)); }>()},
    {Op::V_CVT_F32_BF16, lanewise<[](u16 a) { return bits<float>(u32(a) << 16); }>()},
    {Op::V_CVT_F32_UBYTE0, lanewise<[](u32 a) { return float(byteFloat(a, 0)); }>()},
    {Op::V_CVT_F32_UBYTE1, lanewise<[](u32 a) { return float(byteFloat(a, 1)); }>()},
    {Op::V_CVT_F32_UBYTE2, lanewise<[](u32 a) { return float(byteFloat(a, 2)); }>()},
    {Op::V_CVT_F32_UBYTE3, lanewise<[](u32 a) { return float(byteFloat(a, 3)); }>()},
    {Op::V_CVT_OFF_F32_I4, lanewise<[](u32 a) { return float(i32(a << 28) >> 28) * 0.0625f; }>()},
    {Op::V_CVT_PKRTZ_F16_F32, lanewise<[](float a, float b) {
       return pairHalves(halfTowardZero(a), halfTowardZero(b)); }>()},
    {Op::V_CVT_PK_F16_F32, lanewise<[](float a, float b) {
       return pairHalves(bits<u16>(f16(a)), bits<u16>(f16(b))); }>()},
    {Op::V_CVT_PK_BF16_F32, lanewise<[](float a, float b) {
       return pairHalves(toBfloat(a), toBfloat(b)); }>()},
    {Op::V_CVT_PK_U16_U32, lanewise<[](u32 a, u32 b) {
       return pairHalves(saturateU16(a), saturateU16(b)); }>()},
    {Op::V_CVT_PK_I16_I32, lanewise<[](i32 a, i32 b) {
       return pairHalves(saturateI16(a), saturateI16(b)); }>()},
    {Op::V_CVT_PKNORM_I16_F32, lanewise<[](float a, float b) {
       return pairHalves(u32(i32(__builtin_rintf(normalized(a, -1.f) * 32767.f))),
                         u32(i32(__builtin_rintf(normalized(b, -1.f) * 32767.f)))); }>()},
    {Op::V_CVT_PKNORM_U16_F32, lanewise<[](float a, float b) {
       return pairHalves(u32(__builtin_rintf(normalized(a, 0.f) * 65535.f)),
                         u32(__builtin_rintf(normalized(b, 0.f) * 65535.f))); }>()},
    {Op::V_CVT_PK_U8_F32, lanewise<[](float a, u32 b, u32 c) {
       u32 v = toUnsigned(__builtin_rintf(a)), shift = 8 * (b & 3);
       return (c & ~(0xffu << shift)) | (v > 255 ? 255 : v) << shift; }>()},
    {Op::V_CVT_F32_FP8, custom(&fromFloat8<false>)},
    {Op::V_CVT_F32_BF8, custom(&fromFloat8<true>)},
    {Op::V_CVT_PK_F32_FP8, custom(&fromFloat8Pair<false>)},
    {Op::V_CVT_PK_F32_BF8, custom(&fromFloat8Pair<true>)},
    {Op::V_CVT_PK_FP8_F32, custom(&toFloat8Pair<false>)},
    {Op::V_CVT_PK_BF8_F32, custom(&toFloat8Pair<true>)},
    {Op::V_CVT_SR_FP8_F32, custom(&toFloat8Stochastic<false>)},
    {Op::V_CVT_SR_BF8_F32, custom(&toFloat8Stochastic<true>)},
};

} // namespace

void addVectorConvert(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
