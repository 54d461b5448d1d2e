// Packed operations (VOP3P without the matrix ones): two 16-bit or two f32
// values a lane, mixed-precision fma, and dot products.
#include "runtime/hipsim/exec/ops/float_math.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

/// One half of a packed 16-bit source as T, sign flipped by neg_lo / neg_hi.
template <class T> struct Half {
  const u32 *row;
  u32 shift;
  u16 flip;
  [[clang::always_inline]] T at(u32 l) const {
    return bits<T>(u16(u16(row[l] >> shift) ^ flip));
  }
};
/// `high`: which half of the result it contributes to.
template <class T>
HIPSIM_INLINE Half<T> half(const u32 *row, const Instruction &in, u32 i,
                           bool high) {
  u8 select = high ? in.opSelHi : in.opSel;
  u8 negate = high ? in.negHi : in.negLo;
  bool flip = isFloat<T> && (negate >> i & 1);
  return {row, (select >> i & 1) * 16u, u16(flip ? 0x8000 : 0)};
}

template <auto F> void packed16(Wave &w, const Step &s) {
  using S = SignatureOf<F>;
  using A = typename S::First;
  using B = typename S::Second;
  const Instruction &in = *s.instruction;
  Row scratch[3];
  const u32 *rows[3] = {};
  for (u32 i = 0; i < S::arity; ++i)
    rows[i] = row32(w, s.src[i], scratch[i]);
  auto a0 = half<A>(rows[0], in, 0, false), a1 = half<A>(rows[0], in, 0, true);
  auto b0 = half<B>(rows[1], in, 1, false), b1 = half<B>(rows[1], in, 1, true);
  bool clamp = s.outputModifiers;
  auto pair = [](auto low, auto high, bool clamp) __attribute__((always_inline)) {
    if constexpr (isFloat<decltype(low)>) {
      low = clamp ? clamp01(low) : low;
      high = clamp ? clamp01(high) : high;
    }
    return u32(bits<u16>(low)) | u32(bits<u16>(high)) << 16;
  };
  if constexpr (S::arity == 2) {
    writeLanes<u32>(w, s, [&](u32 l) __attribute__((always_inline)) {
      return pair(F(a0.at(l), b0.at(l)), F(a1.at(l), b1.at(l)), clamp);
    });
  } else {
    using C = typename S::Third;
    auto c0 = half<C>(rows[2], in, 2, false), c1 = half<C>(rows[2], in, 2, true);
    writeLanes<u32>(w, s, [&](u32 l) __attribute__((always_inline)) {
      return pair(F(a0.at(l), b0.at(l), c0.at(l)),
                  F(a1.at(l), b1.at(l), c1.at(l)), clamp);
    });
  }
}
template <auto F> constexpr Operation packed() {
  Operation operation = custom(&packed16<F>, StepClass::Vector);
  operation.floatResult = isFloat<typename SignatureOf<F>::Result>;
  for (ValueType &type : operation.type)
    type = operation.floatResult ? ValueType::PackedF16 : ValueType::B32;
  if (operation.floatResult) {
    operation.result = NumberType::PackedF16;
    for (u32 i = 0; i < SignatureOf<F>::arity; ++i)
      operation.number[i] = NumberType::PackedF16;
  }
  return operation;
}

/// Integers: G is what F does with the clamp bit.
template <auto F, auto G> constexpr Operation packedSaturating() {
  Operation operation = packed<F>();
  operation.clampHandler = &packed16<G>;
  return operation;
}

/// v_pk_*_f32: sources are register pairs; op_sel picks the dword for the low
/// result, op_sel_hi for the high one.
template <auto F> void packed32(Wave &w, const Step &s) {
  using S = SignatureOf<F>;
  const Instruction &in = *s.instruction;
  Row scratch[6], flipped[6];
  const u32 *low[3] = {}, *high[3] = {};
  for (u32 i = 0; i < S::arity; ++i) {
    Rows2 rows = row64(w, s.src[i], scratch + 2 * i);
    low[i] = in.opSel >> i & 1 ? rows.hi : rows.lo;
    high[i] = in.opSelHi >> i & 1 ? rows.hi : rows.lo;
    Source negated;
    negated.neg = true;
    if (in.negLo >> i & 1)
      low[i] = modified(low[i], negated, 0x80000000u, flipped[2 * i]);
    if (in.negHi >> i & 1)
      high[i] = modified(high[i], negated, 0x80000000u, flipped[2 * i + 1]);
  }
  bool clamp = s.outputModifiers;
  const u32 *mask = execMask(w);
  u32 *d0 = w.rows[s.dst].lane, *d1 = w.rows[s.dst + 1].lane;
  HIPSIM_LANES {
    float x, y;
    if constexpr (S::arity == 2) {
      x = F(bits<float>(low[0][l]), bits<float>(low[1][l]));
      y = F(bits<float>(high[0][l]), bits<float>(high[1][l]));
    } else {
      x = F(bits<float>(low[0][l]), bits<float>(low[1][l]), bits<float>(low[2][l]));
      y = F(bits<float>(high[0][l]), bits<float>(high[1][l]), bits<float>(high[2][l]));
    }
    x = clamp ? clamp01(x) : x;
    y = clamp ? clamp01(y) : y;
    d0[l] = blend(mask[l], bits<u32>(x), d0[l]);
    d1[l] = blend(mask[l], bits<u32>(y), d1[l]);
  }
}
template <auto F> constexpr Operation pair32() {
  Operation operation = custom(&packed32<F>, StepClass::Vector, ValueType::F32x2);
  operation.floatResult = true;
  operation.result = NumberType::PackedF32;
  for (u32 i = 0; i < SignatureOf<F>::arity; ++i)
    operation.number[i] = NumberType::PackedF32;
  return operation;
}
void packedMove(Wave &w, const Step &s) {
  const Instruction &in = *s.instruction;
  Row scratch[4];
  Rows2 a = row64(w, s.src[0], scratch), b = row64(w, s.src[1], scratch + 2);
  const u32 *low = in.opSel & 1 ? a.hi : a.lo;
  const u32 *high = in.opSel & 2 ? b.hi : b.lo;
  writeLanes<u64>(w, s, [&](u32 l) { return u64(low[l]) | u64(high[l]) << 32; });
}

/// v_fma_mix*: op_sel_hi says that source i is f16, op_sel which half.
void mixSources(Wave &w, const Step &s, Row (&out)[3]) {
  const Instruction &in = *s.instruction;
  Row scratch;
  for (u32 i = 0; i < 3; ++i) {
    const u32 *row = row32(w, s.src[i], scratch);
    u32 shift = in.opSel >> i & 1 ? 16 : 0;
    if (in.opSelHi >> i & 1) {
      HIPSIM_LANES out[i].lane[l] =
          bits<u32>(float(bits<f16>(u16(row[l] >> shift))));
    } else {
      HIPSIM_LANES out[i].lane[l] = row[l];
    }
    modified(out[i].lane, s.src[i], 0x80000000u, out[i]);
  }
}
HIPSIM_INLINE float mixAt(const Row (&r)[3], u32 l) {
  return __builtin_fmaf(bits<float>(r[0].lane[l]), bits<float>(r[1].lane[l]),
                        bits<float>(r[2].lane[l]));
}
void fmaMix(Wave &w, const Step &s) {
  Row r[3];
  mixSources(w, s, r);
  bool clamp = s.outputModifiers;
  writeLanes<float>(w, s, [&](u32 l) {
    float v = mixAt(r, l);
    return clamp ? clamp01(v) : v;
  });
}
template <u32 Shift> void fmaMixHalf(Wave &w, const Step &s) {
  Row r[3];
  mixSources(w, s, r);
  bool clamp = s.outputModifiers;
  const u32 *mask = execMask(w);
  u32 *d = w.rows[s.dst].lane;
  HIPSIM_LANES {
    float v = mixAt(r, l);
    u32 h = bits<u16>(f16(clamp ? clamp01(v) : v));
    d[l] = blend(mask[l], (d[l] & (0xffff0000u >> Shift)) | h << Shift, d[l]);
  }
}
constexpr Operation floating(Handler handler) {
  Operation operation = custom(handler);
  operation.floatResult = true;
  return operation;
}

HIPSIM_INLINE float halfFloat(u32 a, u32 i) { return float(bits<f16>(u16(a >> (16 * i)))); }
HIPSIM_INLINE float bfloatFloat(u32 a, u32 i) {
  return bits<float>(i ? a & 0xffff0000u : a << 16);
}
HIPSIM_INLINE float dotHalf(u32 a, u32 b, float c) {
  return float(double(halfFloat(a, 0)) * halfFloat(b, 0) +
               double(halfFloat(a, 1)) * halfFloat(b, 1) + c);
}
HIPSIM_INLINE float dotBfloat(u32 a, u32 b, float c) {
  return float(double(bfloatFloat(a, 0)) * bfloatFloat(b, 0) +
               double(bfloatFloat(a, 1)) * bfloatFloat(b, 1) + c);
}
template <u32 Width> HIPSIM_INLINE i32 dotSigned(u32 a, u32 b, i32 c) {
  u32 sum = u32(c);
  for (u32 i = 0; i < 32 / Width; ++i)
    sum += u32((i32(a << (32 - Width * (i + 1))) >> (32 - Width)) *
               (i32(b << (32 - Width * (i + 1))) >> (32 - Width)));
  return i32(sum);
}
/// The clamp bit: the exact sum is limited once.
template <u32 Width> HIPSIM_INLINE i32 dotSignedClamped(u32 a, u32 b, i32 c) {
  i64 sum = c;
  for (u32 i = 0; i < 32 / Width; ++i)
    sum += i64(i32(a << (32 - Width * (i + 1))) >> (32 - Width)) *
           (i32(b << (32 - Width * (i + 1))) >> (32 - Width));
  i64 low = sum < -2147483648ll ? -2147483648ll : sum;
  return i32(low > 2147483647ll ? 2147483647ll : low);
}
template <u32 Width> HIPSIM_INLINE u32 dotUnsignedClamped(u32 a, u32 b, u32 c) {
  u32 low = Width == 16 ? 0xffffu : (1u << Width) - 1;
  u64 sum = c;
  for (u32 i = 0; i < 32 / Width; ++i)
    sum += u64(a >> (Width * i) & low) * (b >> (Width * i) & low);
  return sum > ~0u ? ~0u : u32(sum);
}
template <u32 Width> HIPSIM_INLINE u32 dotUnsigned(u32 a, u32 b, u32 c) {
  u32 low = Width == 16 ? 0xffffu : (1u << Width) - 1;
  for (u32 i = 0; i < 32 / Width; ++i)
    c += (a >> (Width * i) & low) * (b >> (Width * i) & low);
  return c;
}

const Entry entries[] = {
    {Op::V_PK_ADD_F16, packed<[](f16 a, f16 b) { return f16(float(a) + float(b)); }>()},
    {Op::V_PK_MUL_F16, packed<[](f16 a, f16 b) { return f16(float(a) * float(b)); }>()},
    {Op::V_PK_FMA_F16, packed<[](f16 a, f16 b, f16 c) {
       return f16(double(a) * double(b) + double(c)); }>()},
    {Op::V_PK_MIN_F16, packed<[](f16 a, f16 b) { return f16(minNumber(float(a), float(b))); }>()},
    {Op::V_PK_MAX_F16, packed<[](f16 a, f16 b) { return f16(maxNumber(float(a), float(b))); }>()},
    {Op::V_PK_MINIMUM3_F16, packed<[](f16 a, f16 b, f16 c) {
       float x = float(a), y = float(b), z = float(c);
       return f16(isNan(x) | isNan(y) | isNan(z) ? quiet(x + y + z) : minNumber(minNumber(x, y), z)); }>()},
    {Op::V_PK_MAXIMUM3_F16, packed<[](f16 a, f16 b, f16 c) {
       float x = float(a), y = float(b), z = float(c);
       return f16(isNan(x) | isNan(y) | isNan(z) ? quiet(x + y + z) : maxNumber(maxNumber(x, y), z)); }>()},
    {Op::V_PK_ADD_U16, packedSaturating<[](u16 a, u16 b) { return u16(a + b); },
         [](u16 a, u16 b) { return clampU16(i32(a) + b); }>()},
    {Op::V_PK_SUB_U16, packedSaturating<[](u16 a, u16 b) { return u16(a - b); },
         [](u16 a, u16 b) { return clampU16(i32(a) - b); }>()},
    {Op::V_PK_ADD_I16, packedSaturating<[](u16 a, u16 b) { return u16(a + b); },
         [](i16 a, i16 b) { return clampI16(i32(a) + b); }>()},
    {Op::V_PK_SUB_I16, packedSaturating<[](u16 a, u16 b) { return u16(a - b); },
         [](i16 a, i16 b) { return clampI16(i32(a) - b); }>()},
    {Op::V_PK_MUL_LO_U16, packed<[](u16 a, u16 b) { return u16(u32(a) * b); }>()},
    {Op::V_PK_MAD_U16, packedSaturating<[](u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); },
         [](u16 a, u16 b, u16 c) { return clampU16(i64(a) * b + c); }>()},
    {Op::V_PK_MAD_I16, packedSaturating<[](u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); },
         [](i16 a, i16 b, i16 c) { return clampI16(i32(a) * b + c); }>()},
    {Op::V_PK_LSHLREV_B16, packed<[](u16 a, u16 b) { return u16(b << (a & 15)); }>()},
    {Op::V_PK_LSHRREV_B16, packed<[](u16 a, u16 b) { return u16(b >> (a & 15)); }>()},
    {Op::V_PK_ASHRREV_I16, packed<[](u16 a, i16 b) { return i16(b >> (a & 15)); }>()},
    {Op::V_PK_MAX_I16, packed<[](i16 a, i16 b) { return a > b ? a : b; }>()},
    {Op::V_PK_MIN_I16, packed<[](i16 a, i16 b) { return a < b ? a : b; }>()},
    {Op::V_PK_MAX_U16, packed<[](u16 a, u16 b) { return a > b ? a : b; }>()},
    {Op::V_PK_MIN_U16, packed<[](u16 a, u16 b) { return a < b ? a : b; }>()},

    {Op::V_PK_ADD_F32, pair32<[](float a, float b) { return a + b; }>()},
    {Op::V_PK_MUL_F32, pair32<[](float a, float b) { return a * b; }>()},
    {Op::V_PK_FMA_F32, pair32<[](float a, float b, float c) { return __builtin_fmaf(a, b, c); }>()},
    {Op::V_PK_MOV_B32, custom(&packedMove, StepClass::Vector, ValueType::F32x2)},

    {Op::V_FMA_MIX_F32, floating(&fmaMix)},
    {Op::V_FMA_MIXLO_F16, floating(&fmaMixHalf<0>)},
    {Op::V_FMA_MIXHI_F16, floating(&fmaMixHalf<16>)},

    {Op::V_DOT2_F32_F16, lanewise<[](u32 a, u32 b, float c) { return dotHalf(a, b, c); }>()},
    {Op::V_DOT2_F32_BF16, lanewise<[](u32 a, u32 b, float c) { return dotBfloat(a, b, c); }>()},
    {Op::V_DOT2_I32_I16, saturating<[](u32 a, u32 b, i32 c) { return dotSigned<16>(a, b, c); },
         [](u32 a, u32 b, i32 c) { return dotSignedClamped<16>(a, b, c); }>()},
    {Op::V_DOT2_U32_U16, saturating<[](u32 a, u32 b, u32 c) { return dotUnsigned<16>(a, b, c); },
         [](u32 a, u32 b, u32 c) { return dotUnsignedClamped<16>(a, b, c); }>()},
    {Op::V_DOT4_I32_I8, saturating<[](u32 a, u32 b, i32 c) { return dotSigned<8>(a, b, c); },
         [](u32 a, u32 b, i32 c) { return dotSignedClamped<8>(a, b, c); }>()},
    {Op::V_DOT4_U32_U8, saturating<[](u32 a, u32 b, u32 c) { return dotUnsigned<8>(a, b, c); },
         [](u32 a, u32 b, u32 c) { return dotUnsignedClamped<8>(a, b, c); }>()},
    {Op::V_DOT8_I32_I4, saturating<[](u32 a, u32 b, i32 c) { return dotSigned<4>(a, b, c); },
         [](u32 a, u32 b, i32 c) { return dotSignedClamped<4>(a, b, c); }>()},
    {Op::V_DOT8_U32_U4, saturating<[](u32 a, u32 b, u32 c) { return dotUnsigned<4>(a, b, c); },
         [](u32 a, u32 b, u32 c) { return dotUnsignedClamped<4>(a, b, c); }>()},
    {Op::V_DOT2C_F32_F16, accumulating<[](u32 a, u32 b, float c) { return dotHalf(a, b, c); }>()},
    {Op::V_DOT2C_F32_BF16, accumulating<[](u32 a, u32 b, float c) { return dotBfloat(a, b, c); }>()},
    {Op::V_DOT2C_I32_I16, accumulating<[](u32 a, u32 b, i32 c) { return dotSigned<16>(a, b, c); }>()},
    {Op::V_DOT4C_I32_I8, accumulating<[](u32 a, u32 b, i32 c) { return dotSigned<8>(a, b, c); }>()},
    {Op::V_DOT8C_I32_I4, accumulating<[](u32 a, u32 b, i32 c) { return dotSigned<4>(a, b, c); }>()},
};

} // namespace

void addVectorPacked(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
