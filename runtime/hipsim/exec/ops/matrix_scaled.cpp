// MFMA of gfx950 on 8-, 6- and 4-bit floats with or without block scales
// (v_mfma_*_f8f6f4), and the small f64 shape.
//
// cbsz and blgp are the formats of A and B. D = C + sum over blocks of 32 k of
// 2^(scale A + scale B) * dot product: the dot product by f32 fma in increasing
// k, the sum of blocks in f64, rounded once (no public document describes the
// hardware's rounding). Without scales: f32 fma from C on, like matrix.cpp.
#include "runtime/hipsim/exec/ops/matrix_elements.h"
#include "runtime/hipsim/exec/small_float.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

constexpr u32 perLane = 32, blockK = 32; ///< Elements of a lane; k of a scale.

/// k of element e of the lanes of group g (composable_kernel's f8f6f4 layout):
/// 8-bit elements come in chunks of 16, narrower ones are contiguous.
template <u32 Groups> HIPSIM_INLINE u32 elementK(SmallFloat format, u32 g, u32 e) {
  if (smallFloatBits(format) < 8)
    return perLane * g + e;
  return 16 * g + e % 16 + e / 16 * 16 * Groups;
}

/// One operand as out[k][i], from codes packed little-endian in the lanes.
template <u32 M, u32 K>
void unpackSmall(Wave &w, u32 row, SmallFloat format, float (&out)[K][M]) {
  const float *values = smallFloatValues(format);
  u32 width = smallFloatBits(format), low = (1u << width) - 1;
  for (u32 e = 0; e < perLane; ++e) {
    u32 bit = e * width, dword = bit / 32, shift = bit % 32;
    bool straddles = shift + width > 32;
    const u32 *first = w.rows[row + dword].lane;
    const u32 *second = w.rows[row + dword + straddles].lane;
    for (u32 l = 0; l < laneCount; ++l) {
      u64 both = u64(first[l]) | u64(second[l]) << 32;
      out[elementK<laneCount / M>(format, l / M, e)][l % M] =
          values[u32(both >> shift) & low];
    }
  }
}

/// Exponents of an operand's scales, by k block and row: those of row i and
/// block b are in lane i + M * b, in the byte that op_sel chooses.
template <u32 M, u32 Blocks>
void unpackScales(Wave &w, const Instruction &in, u32 operand, i32 (&out)[Blocks][M]) {
  const Operand &o = in.scale[operand];
  u32 shift = 8 * ((in.opSelHi >> operand & 1) * 2 + (in.opSel >> operand & 1));
  u32 uniform = o.kind == OperandKind::Sgpr    ? w.sgpr[o.index]
                : o.kind == OperandKind::Const ? o.value
                                               : special32(w, o.index);
  bool vector = o.kind == OperandKind::Vgpr || o.kind == OperandKind::Agpr;
  const u32 *lanes = vector ? w.rows[rowOf(o)].lane : nullptr;
  for (u32 b = 0; b < Blocks; ++b)
    for (u32 i = 0; i < M; ++i) {
      u32 word = vector ? lanes[i + M * b] : uniform;
      out[b][i] = scaleOfE8m0(word >> shift & 0xff);
    }
}

/// d[i][j] += a[k][i] * b[k][j] for k in order.
template <u32 M>
HIPSIM_INLINE void accumulate(const float (*a)[M], const float (*b)[M], u32 count,
                              float (&d)[M][M]) {
  typedef float Vector __attribute__((ext_vector_type(16)));
  constexpr u32 rows = 8;
  for (u32 j = 0; j < M; j += 16)
    for (u32 i = 0; i < M; i += rows) {
      Vector sum[rows];
      for (u32 x = 0; x < rows; ++x)
        __builtin_memcpy(&sum[x], &d[i + x][j], sizeof(Vector));
      for (u32 k = 0; k < count; ++k) {
        Vector right;
        __builtin_memcpy(&right, &b[k][j], sizeof(Vector));
        for (u32 x = 0; x < rows; ++x) {
          Vector left = a[k][i + x];
          sum[x] = __builtin_elementwise_fma(left, right, sum[x]);
        }
      }
      for (u32 x = 0; x < rows; ++x)
        __builtin_memcpy(&d[i + x][j], &sum[x], sizeof(Vector));
    }
}

/// 2^exponent, exact in f64 for the sum of any two scales.
HIPSIM_INLINE double scaleFactor(i32 exponent) {
  return exponent > 1000 ? __builtin_nan("") : bits<double>(u64(exponent + 1023) << 52);
}

template <u32 M, u32 K>
void addScaledBlocks(Wave &w, const Instruction &in, const float (&a)[K][M],
                     const float (&b)[K][M], float (&d)[M][M]) {
  constexpr u32 blocks = K / blockK;
  i32 scaleA[blocks][M], scaleB[blocks][M];
  unpackScales(w, in, 0, scaleA);
  unpackScales(w, in, 1, scaleB);
  alignas(64) double total[M][M];
  alignas(64) float dot[M][M];
  for (u32 i = 0; i < M; ++i)
    for (u32 j = 0; j < M; ++j)
      total[i][j] = d[i][j];
  for (u32 block = 0; block < blocks; ++block) {
    __builtin_memset(dot, 0, sizeof(dot));
    accumulate<M>(a + block * blockK, b + block * blockK, blockK, dot);
    double factor[M];
    for (u32 j = 0; j < M; ++j)
      factor[j] = scaleFactor(scaleB[block][j]);
    for (u32 i = 0; i < M; ++i) {
      double left = scaleFactor(scaleA[block][i]);
      for (u32 j = 0; j < M; ++j)
        total[i][j] += double(dot[i][j]) * (left * factor[j]);
    }
  }
  for (u32 i = 0; i < M; ++i)
    for (u32 j = 0; j < M; ++j)
      d[i][j] = float(total[i][j]);
}

template <u32 M, u32 K, bool Scaled> void multiplySmall(Wave &w, const Step &s) {
  const Instruction &in = *s.instruction;
  alignas(64) float a[K][M], b[K][M], d[M][M];
  unpackSmall<M, K>(w, s.src[0].index, SmallFloat(in.cbsz), a);
  unpackSmall<M, K>(w, s.src[1].index, SmallFloat(in.blgp), b);
  bool rows = s.src[2].kind == SourceKind::Row;
  float constant = rows ? 0 : bits<float>(scalar32(w, s.src[2]));
  for (u32 i = 0; i < M; ++i)
    for (u32 j = 0; j < M; ++j)
      d[i][j] = rows ? bits<float>(w.rows[s.src[2].index + resultRegister<M>(i)]
                                       .lane[resultLane<M>(i) + j])
                     : constant;
  if constexpr (Scaled)
    addScaledBlocks<M, K>(w, in, a, b, d);
  else
    accumulate<M>(a, b, K, d);
  for (u32 i = 0; i < M; ++i)
    __builtin_memcpy(w.rows[s.dst + resultRegister<M>(i)].lane + resultLane<M>(i),
                     d[i], sizeof(d[0]));
}

/// f64 4x4x4, 4 blocks (AMD's matrix instruction calculator): A(i, k) and
/// B(k, j) of block b in lane i (or j) + 4 * b + 16 * k, C and D(i, j) in lane
/// j + 4 * b + 16 * i. blgp negates A, B, C.
void multiplySmallF64(Wave &w, const Step &s) {
  const u32 negate = s.instruction->blgp;
  Row scratch[3][2];
  double value[3][laneCount], result[laneCount];
  for (u32 n = 0; n < 3; ++n) {
    Rows2 rows = row64(w, s.src[n], scratch[n]);
    for (u32 l = 0; l < laneCount; ++l) {
      double v = bits<double>(u64(rows.lo[l]) | u64(rows.hi[l]) << 32);
      value[n][l] = negate >> n & 1 ? -v : v;
    }
  }
  for (u32 l = 0; l < laneCount; ++l) {
    u32 j = l % 4, block = l & 12, i = l / 16;
    double sum = value[2][l];
    for (u32 k = 0; k < 4; ++k)
      sum = __builtin_fma(value[0][i + block + 16 * k], value[1][j + block + 16 * k], sum);
    result[l] = sum;
  }
  for (u32 l = 0; l < laneCount; ++l) {
    w.rows[s.dst].lane[l] = u32(bits<u64>(result[l]));
    w.rows[s.dst + 1].lane[l] = u32(bits<u64>(result[l]) >> 32);
  }
}

template <u32 M, u32 K, bool Scaled> constexpr Operation small() {
  return custom(&multiplySmall<M, K, Scaled>, StepClass::Matrix);
}

const Entry entries[] = {
    {Op::V_MFMA_F32_16X16X128_F8F6F4, small<16, 128, false>()},
    {Op::V_MFMA_F32_32X32X64_F8F6F4, small<32, 64, false>()},
    {Op::V_MFMA_SCALE_F32_16X16X128_F8F6F4, small<16, 128, true>()},
    {Op::V_MFMA_SCALE_F32_32X32X64_F8F6F4, small<32, 64, true>()},
    {Op::V_MFMA_F64_4X4X4_4B_F64, custom(&multiplySmallF64, StepClass::Matrix, ValueType::F64)},
};

} // namespace

void addMatrixScaled(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
