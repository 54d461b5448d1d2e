// Vector 16-bit operations: f16, i16, u16 on the low (or op_sel'd) half.
//
// _Float16 arithmetic is done in f32 and rounded once, which is exact for one
// add, subtract or multiply.
#include "runtime/hipsim/exec/ops/float_math.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

HIPSIM_INLINE f16 maxHalf(f16 a, f16 b) { return f16(maxNumber(float(a), float(b))); }
HIPSIM_INLINE f16 minHalf(f16 a, f16 b) { return f16(minNumber(float(a), float(b))); }
HIPSIM_INLINE f16 medianHalf(f16 a, f16 b, f16 c) {
  return f16(median(float(a), float(b), float(c)));
}
constexpr i16 minI(i16 a, i16 b) { return a < b ? a : b; }
constexpr i16 maxI(i16 a, i16 b) { return a > b ? a : b; }
constexpr u16 minU(u16 a, u16 b) { return a < b ? a : b; }
constexpr u16 maxU(u16 a, u16 b) { return a > b ? a : b; }

/// The instructions of which gfx9 keeps the other half of the destination.
template <auto F> void keepHigh(Wave &w, const Step &s) {
  using S = SignatureOf<F>;
  using R = typename S::Result;
  Row scratch[3];
  auto a = View<typename S::First>::fetch(w, s, 0, scratch);
  auto b = View<typename S::Second>::fetch(w, s, 1, scratch + 1);
  auto c = View<typename S::Third>::fetch(w, s, 2, scratch + 2);
  const u32 *mask = execMask(w);
  u32 *d = w.rows[s.dst].lane;
  u32 shift = s.opSel & 8 ? 16 : 0, keep = s.opSel & 8 ? 0xffffu : 0xffff0000u;
  bool clamp = s.outputModifiers;
  HIPSIM_LANES {
    R value = F(a.at(l), b.at(l), c.at(l));
    if constexpr (isFloat<R>)
      value = clamp ? clamp01(value) : value;
    d[l] = blend(mask[l], (d[l] & keep) | u32(bits<u16>(value)) << shift, d[l]);
  }
}
template <auto F> constexpr Operation keeping() {
  Operation operation = lanewise<F>();
  operation.handler = &keepHigh<F>;
  return operation;
}
template <auto F, auto G> constexpr Operation keepingSaturating() {
  Operation operation = keeping<F>();
  operation.clampHandler = &keepHigh<G>;
  return operation;
}
/// a * b + c rounded once: the product and the sum are exact in f64 except
/// where the sum's low bits are far below half of an f16 ulp.
HIPSIM_INLINE f16 fmaHalf(f16 a, f16 b, f16 c) {
  double product = double(a) * double(b), exact = product + double(c);
  double error = double(c) - (exact - product); // Fast two-sum, either order:
  double error2 = product - (exact - double(c));
  double rest = __builtin_fabs(product) >= __builtin_fabs(double(c)) ? error : error2;
  // Round to odd in f32 so that the final rounding sees a sticky bit.
  float narrow = float(exact);
  double lost = (exact - double(narrow)) + rest;
  u32 u = bits<u32>(narrow);
  bool inexact = lost != 0 && exponentOf(narrow) != 255;
  bool towardZero = (lost < 0) != signBit(narrow); // narrow is too large.
  u32 odd = inexact ? ((towardZero ? u - 1 : u) | 1u) : u;
  return f16(bits<float>(odd));
}

const Entry entries[] = {
    {Op::V_ADD_F16, lanewise<[](f16 a, f16 b) { return f16(float(a) + float(b)); }>()},
    {Op::V_SUB_F16, lanewise<[](f16 a, f16 b) { return f16(float(a) - float(b)); }>()},
    {Op::V_SUBREV_F16, lanewise<[](f16 a, f16 b) { return f16(float(b) - float(a)); }>()},
    {Op::V_MUL_F16, lanewise<[](f16 a, f16 b) { return f16(float(a) * float(b)); }>()},
    {Op::V_MAX_F16, lanewise<[](f16 a, f16 b) { return maxHalf(a, b); }>()},
    {Op::V_MIN_F16, lanewise<[](f16 a, f16 b) { return minHalf(a, b); }>()},
    {Op::V_MIN3_F16, keeping<[](f16 a, f16 b, f16 c) { return minHalf(minHalf(a, b), c); }>()},
    {Op::V_MAX3_F16, keeping<[](f16 a, f16 b, f16 c) { return maxHalf(maxHalf(a, b), c); }>()},
    {Op::V_MED3_F16, keeping<[](f16 a, f16 b, f16 c) { return medianHalf(a, b, c); }>()},
    {Op::V_FMA_F16, keeping<[](f16 a, f16 b, f16 c) { return fmaHalf(a, b, c); }>()},
    {Op::V_LDEXP_F16, lanewise<[](f16 a, i16 e) { return f16(scale(float(a), e)); }>()},
    {Op::V_RCP_F16, lanewise<[](f16 a) { return f16(1.0f / float(a)); }>()},
    {Op::V_SQRT_F16, lanewise<[](f16 a) { return f16(__builtin_sqrtf(float(a))); }>()},
    {Op::V_RSQ_F16, lanewise<[](f16 a) { return f16(1.0f / __builtin_sqrtf(float(a))); }>()},
    {Op::V_EXP_F16, lanewise<[](f16 a) { return f16(__builtin_exp2f(float(a))); }>()},
    {Op::V_LOG_F16, lanewise<[](f16 a) { return f16(__builtin_log2f(float(a))); }>()},
    {Op::V_FLOOR_F16, lanewise<[](f16 a) { return f16(__builtin_floorf(float(a))); }>()},
    {Op::V_CEIL_F16, lanewise<[](f16 a) { return f16(__builtin_ceilf(float(a))); }>()},
    {Op::V_TRUNC_F16, lanewise<[](f16 a) { return f16(__builtin_truncf(float(a))); }>()},
    {Op::V_RNDNE_F16, lanewise<[](f16 a) { return f16(__builtin_rintf(float(a))); }>()},
    {Op::V_FREXP_MANT_F16, lanewise<[](f16 a) { return f16(fraction(float(a))); }>()},
    {Op::V_FREXP_EXP_I16_F16, lanewise<[](f16 a) { return i16(binaryExponent(float(a))); }>()},

    {Op::V_ADD_U16, saturating<[](u16 a, u16 b) { return u16(a + b); },
         [](u16 a, u16 b) { return clampU16(i32(a + b)); }>()},
    {Op::V_SUB_U16, saturating<[](u16 a, u16 b) { return u16(a - b); },
         [](u16 a, u16 b) { return clampU16(i32(a - b)); }>()},
    {Op::V_SUBREV_U16, saturating<[](u16 a, u16 b) { return u16(b - a); },
         [](u16 a, u16 b) { return clampU16(i32(b - a)); }>()},
    {Op::V_ADD_I16, saturating<[](u16 a, u16 b) { return u16(a + b); },
         [](i16 a, i16 b) { return clampI16(i32(a + b)); }>()},
    {Op::V_SUB_I16, saturating<[](u16 a, u16 b) { return u16(a - b); },
         [](i16 a, i16 b) { return clampI16(i32(a - b)); }>()},
    {Op::V_MUL_LO_U16, lanewise<[](u16 a, u16 b) { return u16(u32(a) * b); }>()},
    {Op::V_LSHLREV_B16, lanewise<[](u16 a, u16 b) { return u16(b << (a & 15)); }>()},
    {Op::V_LSHRREV_B16, lanewise<[](u16 a, u16 b) { return u16(b >> (a & 15)); }>()},
    {Op::V_ASHRREV_I16, lanewise<[](u16 a, i16 b) { return i16(b >> (a & 15)); }>()},
    {Op::V_MAX_U16, lanewise<[](u16 a, u16 b) { return maxU(a, b); }>()},
    {Op::V_MIN_U16, lanewise<[](u16 a, u16 b) { return minU(a, b); }>()},
    {Op::V_MAX_I16, lanewise<[](i16 a, i16 b) { return maxI(a, b); }>()},
    {Op::V_MIN_I16, lanewise<[](i16 a, i16 b) { return minI(a, b); }>()},
    {Op::V_MAD_U16, keepingSaturating<[](u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); },
         [](u16 a, u16 b, u16 c) { return clampU16(i64(a) * b + c); }>()},
    {Op::V_MAD_I16, keepingSaturating<[](u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); },
         [](i16 a, i16 b, i16 c) { return clampI16(i32(a) * b + c); }>()},
    {Op::V_MAD_LEGACY_U16, lanewise<[](u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); }>()},
    {Op::V_MAD_LEGACY_I16, lanewise<[](u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); }>()},
    {Op::V_MIN3_I16, keeping<[](i16 a, i16 b, i16 c) { return minI(minI(a, b), c); }>()},
    {Op::V_MAX3_I16, keeping<[](i16 a, i16 b, i16 c) { return maxI(maxI(a, b), c); }>()},
    {Op::V_MIN3_U16, keeping<[](u16 a, u16 b, u16 c) { return minU(minU(a, b), c); }>()},
    {Op::V_MAX3_U16, keeping<[](u16 a, u16 b, u16 c) { return maxU(maxU(a, b), c); }>()},
    {Op::V_MED3_I16, keeping<[](i16 a, i16 b, i16 c) {
       return maxI(minI(a, b), minI(maxI(a, b), c)); }>()},
    {Op::V_MED3_U16, keeping<[](u16 a, u16 b, u16 c) {
       return maxU(minU(a, b), minU(maxU(a, b), c)); }>()},
    {Op::V_PACK_B32_F16, lanewise<[](f16 a, f16 b) {
       return u32(bits<u16>(a)) | u32(bits<u16>(b)) << 16; }>()},
};

} // namespace

void addVectorHalf(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
