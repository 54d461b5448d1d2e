// v_cvt_scalef32_*: conversions between f32, f16, bf16 and the 8-, 6- and
// 4-bit floats, divided by (to the small format) or multiplied by (from it) the
// power of two in the exponent field of an f32 scale (CDNA4 ISA, 7.3).
//
// Stochastic forms on several elements draw the next random number from
// v_prng_b32 for each element after the first.
#include "runtime/hipsim/exec/ops/lanes.h"
#include "runtime/hipsim/exec/small_float.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

enum class Wide { F32, F16, Bf16 };
constexpr u32 modeFp16Overflow = 1u << 23;

HIPSIM_INLINE i32 scaleOf(u32 scale) { return scaleOfE8m0(scale >> 23 & 0xff); }

/// Half `half` of a 16-bit pair, or an f32.
template <Wide W> HIPSIM_INLINE float widen(u32 value, u32 half) {
  if constexpr (W == Wide::F32)
    return bits<float>(value);
  else if constexpr (W == Wide::F16)
    return float(bits<f16>(u16(value >> (16 * half))));
  else
    return bits<float>(half ? value & 0xffff0000u : value << 16);
}
/// An f32 as W; values have few bits, so only range can round.
template <Wide W> HIPSIM_INLINE u32 narrow(float value) {
  u32 u = bits<u32>(value);
  if constexpr (W == Wide::F32)
    return u;
  else if constexpr (W == Wide::F16)
    return bits<u16>(f16(value));
  else
    return value != value ? (u >> 16) | 0x40 : (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

/// A value source with neg and abs.
template <Wide W> const u32 *valueRow(Wave &w, const Step &s, u32 i, Row &scratch) {
  const u32 *row = row32(w, s.src[i], scratch);
  if (s.src[i].neg | s.src[i].abs)
    row = modified(row, s.src[i], W == Wide::F32 ? 0x80000000u : 0x80008000u, scratch);
  return row;
}

/// One or two values to codes in a part of the destination that op_sel chooses:
/// a half for pairs of 8 bits, else a byte.
template <SmallFloat F, Wide W, u32 Count, bool Stochastic>
void toSmall(Wave &w, const Step &s) {
  constexpr bool twoRows = Count == 2 && W == Wide::F32;
  constexpr u32 seedIndex = 1, scaleIndex = Stochastic || twoRows ? 2 : 1;
  constexpr u32 width = smallFloatBits(F), total = width * Count;
  Row scratch[4], pair;
  const u32 *first = valueRow<W>(w, s, 0, scratch[0]), *second = first;
  if constexpr (twoRows && Stochastic) {
    Rows2 rows = row64(w, s.src[0], scratch); // A register pair.
    first = rows.lo;
    second = rows.hi;
  } else if constexpr (twoRows) {
    second = valueRow<W>(w, s, 1, pair);
  }
  const u32 *seed = row32(w, s.src[seedIndex], scratch[2]);
  const u32 *scale = row32(w, s.src[scaleIndex], scratch[3]);
  bool saturate = w.mode & modeFp16Overflow;
  u32 shift = total == 16 ? (s.opSel >> 3 & 1) * 16 : (s.opSel >> 2 & 3) * 8;
  u32 half = W != Wide::F32 && Count == 1 ? s.opSel & 1 : 0;
  u64 e = exec(w);
  u32 *d = w.rows[s.dst].lane;
  for (u32 l = 0; l < laneCount; ++l) {
    if (!(e >> l & 1))
      continue;
    u32 code = 0, random = seed[l];
    for (u32 n = 0; n < Count; ++n) {
      float value = widen<W>(n ? second[l] : first[l], Count == 1 ? half : n);
      u32 c = Stochastic ? encodeSmallFloatStochastic(F, value, scaleOf(scale[l]), random, saturate)
                         : encodeSmallFloat(F, value, scaleOf(scale[l]), saturate);
      code |= c << (width * n);
      random = nextRandom(random);
    }
    u32 low = total == 16 ? 0xffffu : 0xffu;
    d[l] = (d[l] & ~(low << shift)) | code << shift;
  }
}

/// 32 values to 192 bits. Two sources of 16 f32 are interleaved
/// (composable_kernel: "interleaves two 16-component vectors").
template <SmallFloat F, Wide W, bool Stochastic> void toSmall32(Wave &w, const Step &s) {
  constexpr bool interleaved = W == Wide::F32 && !Stochastic;
  constexpr u32 scaleIndex = interleaved || Stochastic ? 2 : 1;
  Row scratch[2], result[6] = {};
  const u32 *seed = row32(w, s.src[1], scratch[0]);
  const u32 *scale = row32(w, s.src[scaleIndex], scratch[1]);
  for (u32 l = 0; l < laneCount; ++l) {
    u32 random = interleaved ? 0 : seed[l];
    for (u32 n = 0; n < 32; ++n) {
      u32 row = interleaved      ? s.src[n % 2].index + n / 2
                : W == Wide::F32 ? s.src[0].index + n
                                 : s.src[0].index + n / 2;
      float value = widen<W>(w.rows[row].lane[l], n % 2);
      u32 code = Stochastic ? encodeSmallFloatStochastic(F, value, scaleOf(scale[l]), random, false)
                            : encodeSmallFloat(F, value, scaleOf(scale[l]), false);
      random = nextRandom(random);
      u64 shifted = u64(code) << (6 * n % 32);
      result[6 * n / 32].lane[l] |= u32(shifted);
      if (shifted >> 32)
        result[6 * n / 32 + 1].lane[l] |= u32(shifted >> 32);
    }
  }
  const u32 *mask = execMask(w);
  for (u32 i = 0; i < 6; ++i) {
    u32 *d = w.rows[s.dst + i].lane;
    HIPSIM_LANES d[l] = blend(mask[l], result[i].lane[l], d[l]);
  }
}

/// One code, or a pair of them, to W. op_sel chooses the source half for pairs
/// of 8 bits, else the byte; bit 3 the destination half of a single f16.
template <SmallFloat F, Wide W, u32 Count> void fromSmall(Wave &w, const Step &s) {
  constexpr u32 width = smallFloatBits(F), low = (1u << width) - 1;
  Row scratch[2];
  const u32 *source = row32(w, s.src[0], scratch[0]);
  const u32 *scale = row32(w, s.src[1], scratch[1]);
  u32 shift = width * Count == 16 ? (s.opSel & 1) * 16 : (s.opSel & 3) * 8;
  u64 e = exec(w);
  for (u32 l = 0; l < laneCount; ++l) {
    if (!(e >> l & 1))
      continue;
    u32 out[2] = {}, codes = source[l] >> shift;
    for (u32 n = 0; n < Count; ++n)
      out[n] = narrow<W>(decodeSmallFloat(F, codes >> (width * n) & low, scaleOf(scale[l])));
    u32 &d = w.rows[s.dst].lane[l];
    if constexpr (W == Wide::F32) {
      d = out[0];
      if constexpr (Count == 2)
        w.rows[s.dst + 1].lane[l] = out[1];
    } else if constexpr (Count == 2) {
      d = out[0] | out[1] << 16;
    } else {
      u32 half = s.opSel & 8 ? 16 : 0;
      d = (d & ~(0xffffu << half)) | out[0] << half;
    }
  }
}

template <SmallFloat F, Wide W> void fromSmall32(Wave &w, const Step &s) {
  constexpr u32 rows = W == Wide::F32 ? 32 : 16;
  Row scratch, result[rows] = {};
  const u32 *scale = row32(w, s.src[1], scratch);
  for (u32 l = 0; l < laneCount; ++l) {
    u32 packed[7] = {};
    for (u32 i = 0; i < 6; ++i)
      packed[i] = w.rows[s.src[0].index + i].lane[l];
    for (u32 n = 0; n < 32; ++n) {
      u32 code = u32(load64(packed + 6 * n / 32) >> (6 * n % 32)) & 63;
      u32 value = narrow<W>(decodeSmallFloat(F, code, scaleOf(scale[l])));
      if constexpr (W == Wide::F32)
        result[n].lane[l] = value;
      else
        result[n / 2].lane[l] |= value << (16 * (n % 2));
    }
  }
  const u32 *mask = execMask(w);
  for (u32 i = 0; i < rows; ++i) {
    u32 *d = w.rows[s.dst + i].lane;
    HIPSIM_LANES d[l] = blend(mask[l], result[i].lane[l], d[l]);
  }
}

using enum SmallFloat;

#define HIPSIM_CVT(NAME, ...) {Op::V_CVT_SCALEF32_##NAME, custom(&__VA_ARGS__)}
// The three directions of a format with eight (six, four) bits and the type W.
#define HIPSIM_CVT8(NAME, F, TYPE, W)                                          \
  HIPSIM_CVT(PK_##NAME##_##TYPE, toSmall<F, W, 2, false>),      \
      HIPSIM_CVT(SR_##NAME##_##TYPE, toSmall<F, W, 1, true>),   \
      HIPSIM_CVT(PK_##TYPE##_##NAME, fromSmall<F, W, 2>)
#define HIPSIM_CVT6(NAME, F, TYPE, W)                                          \
  HIPSIM_CVT(SR_PK32_##NAME##_##TYPE, toSmall32<F, W, true>),              \
      HIPSIM_CVT(PK32_##TYPE##_##NAME, fromSmall32<F, W>)
#define HIPSIM_CVT4(TYPE, W)                                                   \
  HIPSIM_CVT(PK_FP4_##TYPE, toSmall<Fp4, W, 2, false>),        \
      HIPSIM_CVT(SR_PK_FP4_##TYPE, toSmall<Fp4, W, 2, true>),  \
      HIPSIM_CVT(PK_##TYPE##_FP4, fromSmall<Fp4, W, 2>)

const Entry entries[] = {
    HIPSIM_CVT8(FP8, Fp8, F32, Wide::F32), HIPSIM_CVT8(BF8, Bf8, F32, Wide::F32),
    HIPSIM_CVT8(FP8, Fp8, F16, Wide::F16), HIPSIM_CVT8(BF8, Bf8, F16, Wide::F16),
    HIPSIM_CVT8(FP8, Fp8, BF16, Wide::Bf16), HIPSIM_CVT8(BF8, Bf8, BF16, Wide::Bf16),
    {Op::V_CVT_SCALEF32_F32_FP8, custom(&fromSmall<Fp8, Wide::F32, 1>)},
    {Op::V_CVT_SCALEF32_F32_BF8, custom(&fromSmall<Bf8, Wide::F32, 1>)},
    {Op::V_CVT_SCALEF32_F16_FP8, custom(&fromSmall<Fp8, Wide::F16, 1>)},
    {Op::V_CVT_SCALEF32_F16_BF8, custom(&fromSmall<Bf8, Wide::F16, 1>)},
    HIPSIM_CVT4(F32, Wide::F32), HIPSIM_CVT4(F16, Wide::F16), HIPSIM_CVT4(BF16, Wide::Bf16),
    HIPSIM_CVT6(FP6, Fp6, F32, Wide::F32), HIPSIM_CVT6(BF6, Bf6, F32, Wide::F32),
    HIPSIM_CVT6(FP6, Fp6, F16, Wide::F16), HIPSIM_CVT6(BF6, Bf6, F16, Wide::F16),
    HIPSIM_CVT6(FP6, Fp6, BF16, Wide::Bf16), HIPSIM_CVT6(BF6, Bf6, BF16, Wide::Bf16),
    {Op::V_CVT_SCALEF32_2XPK16_FP6_F32, custom(&toSmall32<Fp6, Wide::F32, false>)},
    {Op::V_CVT_SCALEF32_2XPK16_BF6_F32, custom(&toSmall32<Bf6, Wide::F32, false>)},
    {Op::V_CVT_SCALEF32_PK32_FP6_F16, custom(&toSmall32<Fp6, Wide::F16, false>)},
    {Op::V_CVT_SCALEF32_PK32_BF6_F16, custom(&toSmall32<Bf6, Wide::F16, false>)},
    {Op::V_CVT_SCALEF32_PK32_FP6_BF16, custom(&toSmall32<Fp6, Wide::Bf16, false>)},
    {Op::V_CVT_SCALEF32_PK32_BF6_BF16, custom(&toSmall32<Bf6, Wide::Bf16, false>)},
};

} // namespace

void addVectorScaled(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
