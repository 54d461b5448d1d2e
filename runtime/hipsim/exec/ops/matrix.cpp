// MFMA: dense matrix multiply-accumulate.
//
// Register layouts: isa.md 2. Arithmetic is the reference mode: products are
// added to C one k at a time with fused multiply-add, in increasing k. EXEC is
// ignored. A block is M x M x K; its A and B live in lanes l with
// i (or j) = l % M and k = epg * (l / M) + e.
#include "runtime/hipsim/exec/ops/matrix_elements.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

/// SrcC: rows, or a constant in all of them.
template <class T> struct Addend {
  const Row *rows;
  T constant;
};
template <class T> HIPSIM_INLINE Addend<T> addend(Wave &w, const Step &s) {
  if (s.src[2].kind == SourceKind::Row)
    return {w.rows + s.src[2].index, T(0)};
  return {nullptr, bits<T>(scalar32(w, s.src[2]))};
}

/// One block of M x M results for groups of `Group` rows at a time, so that
/// the accumulators stay in registers.
template <class T, u32 M, u32 K>
HIPSIM_INLINE void multiplyBlock(const T *a, const T *b, u32 aStride,
                                 u32 bStride, T (&d)[M][M]) {
  typedef T Vector __attribute__((ext_vector_type(M < 16 ? M : 16)));
  constexpr u32 width = M < 16 ? M : 16, group = M < 8 ? M : 8;
  for (u32 j = 0; j < M; j += width)
    for (u32 i = 0; i < M; i += group) {
      Vector sum[group];
      for (u32 x = 0; x < group; ++x)
        __builtin_memcpy(&sum[x], &d[i + x][j], sizeof(Vector));
      for (u32 k = 0; k < K; ++k) {
        Vector right;
        __builtin_memcpy(&right, b + k * bStride + j, sizeof(Vector));
        for (u32 x = 0; x < group; ++x) {
          Vector left = a[k * aStride + i + x];
          if constexpr (__is_same(T, float))
            sum[x] = __builtin_elementwise_fma(left, right, sum[x]);
          else
            sum[x] += left * right;
        }
      }
      for (u32 x = 0; x < group; ++x)
        __builtin_memcpy(&d[i + x][j], &sum[x], sizeof(Vector));
    }
}

/// One block: A and B fill all 64 lanes.
template <Element EA, Element EB, u32 M, u32 K>
void multiply(Wave &w, const Step &s) {
  using T = __type_pack_element<EA == Element::I8, float, u32>;
  constexpr u32 groups = laneCount / M, epg = K / groups;
  alignas(64) T a[epg][laneCount], b[epg][laneCount];
  alignas(64) T left[K][M], right[K][M], d[M][M];
  unpack<EA>(w, s.src[0].index, a);
  unpack<EB>(w, s.src[1].index, b);
  for (u32 g = 0; g < groups; ++g)
    for (u32 e = 0; e < epg; ++e) {
      __builtin_memcpy(left[g * epg + e], &a[e][g * M], sizeof(left[0]));
      __builtin_memcpy(right[g * epg + e], &b[e][g * M], sizeof(right[0]));
    }
  Addend<T> c = addend<T>(w, s);
  for (u32 i = 0; i < M; ++i)
    if (c.rows)
      __builtin_memcpy(d[i], c.rows[resultRegister<M>(i)].lane + resultLane<M>(i),
                       sizeof(d[0]));
    else
      for (u32 j = 0; j < M; ++j)
        d[i][j] = c.constant;
  multiplyBlock<T, M, K>(left[0], right[0], M, M, d);
  for (u32 i = 0; i < M; ++i)
    __builtin_memcpy(w.rows[s.dst + resultRegister<M>(i)].lane + resultLane<M>(i),
                     d[i], sizeof(d[0]));
}

/// B lanes rearranged by blgp: 1 low half to both, 2 high half to both, 3
/// rotate by 16 lanes, 4..7 one group of 16 to all.
HIPSIM_INLINE u32 broadcastLane(u32 blgp, u32 l) {
  switch (blgp) {
  case 1: return l % 32;
  case 2: return 32 + l % 32;
  case 3: return (l + 16) % 64;
  case 4: case 5: case 6: case 7: return (blgp - 4) * 16 + l % 16;
  default: return l;
  }
}

/// Several independent blocks: block b owns lanes [b * M, (b + 1) * M) of A
/// and B, all K elements in one lane, and M * M / lanes registers of D.
template <Element E, u32 M, u32 K> void multiplyBlocks(Wave &w, const Step &s) {
  using T = __type_pack_element<E == Element::I8, float, u32>;
  constexpr u32 blocks = laneCount / M;
  const Instruction &in = *s.instruction;
  alignas(64) T a[K][laneCount], b[K][laneCount], shuffled[K][laneCount];
  unpack<E>(w, s.src[0].index, a);
  unpack<E>(w, s.src[1].index, b);
  for (u32 k = 0; k < K; ++k)
    for (u32 l = 0; l < laneCount; ++l)
      shuffled[k][l] = b[k][broadcastLane(in.blgp, l)];
  Addend<T> c = addend<T>(w, s);
  // A 4x4 block has its own 4 lanes of each register; a 16x16 block has 4
  // registers and a 32x32 block has 16, over all lanes.
  constexpr u32 registers = M == 4 ? 0 : M * M / laneCount;
  alignas(64) static thread_local T results[blocks][M][M];
  for (u32 block = 0; block < blocks; ++block) {
    u32 shared = 1u << in.cbsz; // Blocks that share A.
    u32 aBlock = in.cbsz ? block / shared * shared + in.abid : block;
    auto &d = results[block];
    for (u32 i = 0; i < M; ++i) {
      u32 lane = M == 4 ? block * 4 : resultLane<M>(i);
      u32 reg = block * registers + resultRegister<M>(i);
      if (c.rows)
        __builtin_memcpy(d[i], c.rows[reg].lane + lane, sizeof(d[0]));
      else
        for (u32 j = 0; j < M; ++j)
          d[i][j] = c.constant;
    }
    multiplyBlock<T, M, K>(&a[0][aBlock * M], &shuffled[0][block * M],
                           laneCount, laneCount, d);
  }
  for (u32 block = 0; block < blocks; ++block)
    for (u32 i = 0; i < M; ++i) {
      u32 lane = M == 4 ? block * 4 : resultLane<M>(i);
      u32 reg = block * registers + resultRegister<M>(i);
      __builtin_memcpy(w.rows[s.dst + reg].lane + lane, results[block][i],
                       sizeof(results[0][0]));
    }
}

/// f64 16x16x4: k = l / 16; result row i = 4 * r + l / 16 in register pair r.
/// blgp negates A, B, C.
void multiplyF64(Wave &w, const Step &s) {
  const Instruction &in = *s.instruction;
  auto value = [&](u32 row, u32 lane) {
    return bits<double>(u64(w.rows[row].lane[lane]) |
                        u64(w.rows[row + 1].lane[lane]) << 32);
  };
  double a[4][16], b[4][16], d[16][16];
  for (u32 l = 0; l < laneCount; ++l) {
    double x = value(s.src[0].index, l), y = value(s.src[1].index, l);
    a[l / 16][l % 16] = in.blgp & 1 ? -x : x;
    b[l / 16][l % 16] = in.blgp & 2 ? -y : y;
  }
  bool rows = s.src[2].kind == SourceKind::Row;
  double constant = bits<double>(scalar64(w, s.src[2]));
  for (u32 i = 0; i < 16; ++i)
    for (u32 j = 0; j < 16; ++j) {
      double c = rows ? value(s.src[2].index + 2 * (i / 4), 16 * (i % 4) + j)
                      : constant;
      double sum = in.blgp & 4 ? -c : c;
      for (u32 k = 0; k < 4; ++k)
        sum = __builtin_fma(a[k][i], b[k][j], sum);
      d[i][j] = sum;
    }
  for (u32 i = 0; i < 16; ++i)
    for (u32 j = 0; j < 16; ++j) {
      u32 row = s.dst + 2 * (i / 4), lane = 16 * (i % 4) + j;
      w.rows[row].lane[lane] = u32(bits<u64>(d[i][j]));
      w.rows[row + 1].lane[lane] = u32(bits<u64>(d[i][j]) >> 32);
    }
}

constexpr Operation mfma(Handler handler, ValueType type = ValueType::B32) {
  return custom(handler, StepClass::Matrix, type);
}

#define HIPSIM_FLOAT8_SHAPE(SHAPE, M, K)                                       \
  {Op::V_MFMA_F32_##SHAPE##_FP8_FP8, mfma(&multiply<Element::Fp8, Element::Fp8, M, K>)}, \
  {Op::V_MFMA_F32_##SHAPE##_FP8_BF8, mfma(&multiply<Element::Fp8, Element::Bf8, M, K>)}, \
  {Op::V_MFMA_F32_##SHAPE##_BF8_FP8, mfma(&multiply<Element::Bf8, Element::Fp8, M, K>)}, \
  {Op::V_MFMA_F32_##SHAPE##_BF8_BF8, mfma(&multiply<Element::Bf8, Element::Bf8, M, K>)}

template <Element E, u32 M, u32 K> constexpr Operation one() {
  return mfma(&multiply<E, E, M, K>);
}
template <Element E, u32 M, u32 K> constexpr Operation many() {
  return mfma(&multiplyBlocks<E, M, K>);
}

const Entry entries[] = {
    {Op::V_MFMA_F32_16X16X16_BF16, one<Element::Bf16, 16, 16>()},
    {Op::V_MFMA_F32_32X32X8_BF16, one<Element::Bf16, 32, 8>()},
    {Op::V_MFMA_F32_16X16X16_F16, one<Element::F16, 16, 16>()},
    {Op::V_MFMA_F32_32X32X8_F16, one<Element::F16, 32, 8>()},
    {Op::V_MFMA_F32_16X16X4_F32, one<Element::F32, 16, 4>()},
    {Op::V_MFMA_F32_32X32X2_F32, one<Element::F32, 32, 2>()},
    {Op::V_MFMA_F32_16X16X8_XF32, one<Element::Xf32, 16, 8>()},
    {Op::V_MFMA_F32_32X32X4_XF32, one<Element::Xf32, 32, 4>()},
    {Op::V_MFMA_I32_16X16X32_I8, one<Element::I8, 16, 32>()},
    {Op::V_MFMA_I32_32X32X16_I8, one<Element::I8, 32, 16>()},
    HIPSIM_FLOAT8_SHAPE(16X16X32, 16, 32),
    HIPSIM_FLOAT8_SHAPE(32X32X16, 32, 16),
    // gfx950.
    {Op::V_MFMA_F32_16X16X32_BF16, one<Element::Bf16, 16, 32>()},
    {Op::V_MFMA_F32_32X32X16_BF16, one<Element::Bf16, 32, 16>()},
    {Op::V_MFMA_F32_16X16X32_F16, one<Element::F16, 16, 32>()},
    {Op::V_MFMA_F32_32X32X16_F16, one<Element::F16, 32, 16>()},
    {Op::V_MFMA_I32_16X16X64_I8, one<Element::I8, 16, 64>()},
    {Op::V_MFMA_I32_32X32X32_I8, one<Element::I8, 32, 32>()},
    // Several blocks.
    {Op::V_MFMA_F32_32X32X1_2B_F32, many<Element::F32, 32, 1>()},
    {Op::V_MFMA_F32_16X16X1_4B_F32, many<Element::F32, 16, 1>()},
    {Op::V_MFMA_F32_4X4X1_16B_F32, many<Element::F32, 4, 1>()},
    {Op::V_MFMA_F32_32X32X4_2B_F16, many<Element::F16, 32, 4>()},
    {Op::V_MFMA_F32_16X16X4_4B_F16, many<Element::F16, 16, 4>()},
    {Op::V_MFMA_F32_4X4X4_16B_F16, many<Element::F16, 4, 4>()},
    {Op::V_MFMA_F32_32X32X4_2B_BF16, many<Element::Bf16, 32, 4>()},
    {Op::V_MFMA_F32_16X16X4_4B_BF16, many<Element::Bf16, 16, 4>()},
    {Op::V_MFMA_F32_4X4X4_16B_BF16, many<Element::Bf16, 4, 4>()},
    {Op::V_MFMA_I32_32X32X4_2B_I8, many<Element::I8, 32, 4>()},
    {Op::V_MFMA_I32_16X16X4_4B_I8, many<Element::I8, 16, 4>()},
    {Op::V_MFMA_I32_4X4X4_16B_I8, many<Element::I8, 4, 4>()},
    {Op::V_MFMA_F64_16X16X4_F64, mfma(&multiplyF64, ValueType::F64)},
};

} // namespace

void addMatrix(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
