// SMFMAC: D += A * B where of each four k of A only two are stored.
//
// A lane holds half as many elements of A as of B; a 2-bit index for each says
// which of its group of four k it is (CDNA4 ISA, 7.5: k = epg * g + 4 * (e / 2)
// + index). The indices lie in the VGPR of source C, in the set that abid picks
// when cbsz is zero. f32 fma in increasing k. The shapes that gfx950 adds are
// refused: their index sets are not described without contradictions.
#include "runtime/hipsim/exec/ops/matrix_elements.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

template <Element EA, Element EB, u32 M, u32 K>
void multiplySparse(Wave &w, const Step &s) {
  using T = __type_pack_element<EA == Element::I8, float, u32>;
  typedef T Vector __attribute__((ext_vector_type(M)));
  constexpr u32 groups = laneCount / M, epg = K / groups, stored = epg / 2;
  constexpr u32 setBits = 2 * stored, sets = 32 / setBits;
  const Instruction &in = *s.instruction;
  alignas(128) T a[stored][laneCount], b[epg][laneCount];
  unpack<EA>(w, s.src[0].index, a);
  unpack<EB>(w, s.src[1].index, b);
  const u32 *indices = w.rows[s.src[2].index].lane;
  u32 shift = in.cbsz & 3 ? 0 : setBits * (in.abid % sets);
  Vector sum[M];
  for (u32 i = 0; i < M; ++i) {
    u32 *row = w.rows[s.dst + resultRegister<M>(i)].lane + resultLane<M>(i);
    __builtin_memcpy(&sum[i], row, sizeof(Vector));
    for (u32 g = 0; g < groups; ++g)
      for (u32 e = 0; e < stored; ++e) {
        u32 lane = g * M + i;
        u32 k = e / 2 * 4 + (indices[lane] >> (shift + 2 * e) & 3);
        Vector left = a[e][lane], right;
        __builtin_memcpy(&right, &b[k][g * M], sizeof(Vector));
        if constexpr (__is_same(T, float))
          sum[i] = __builtin_elementwise_fma(left, right, sum[i]);
        else
          sum[i] += left * right;
      }
  }
  for (u32 i = 0; i < M; ++i)
    __builtin_memcpy(w.rows[s.dst + resultRegister<M>(i)].lane + resultLane<M>(i),
                     &sum[i], sizeof(Vector));
}

template <Element EA, Element EB, u32 M, u32 K> constexpr Operation sparse() {
  return custom(&multiplySparse<EA, EB, M, K>, StepClass::Matrix);
}

#define HIPSIM_SPARSE8(SHAPE, M, K)                                            \
  {Op::V_SMFMAC_F32_##SHAPE##_FP8_FP8, sparse<Element::Fp8, Element::Fp8, M, K>()}, \
  {Op::V_SMFMAC_F32_##SHAPE##_FP8_BF8, sparse<Element::Fp8, Element::Bf8, M, K>()}, \
  {Op::V_SMFMAC_F32_##SHAPE##_BF8_FP8, sparse<Element::Bf8, Element::Fp8, M, K>()}, \
  {Op::V_SMFMAC_F32_##SHAPE##_BF8_BF8, sparse<Element::Bf8, Element::Bf8, M, K>()}

const Entry entries[] = {
    {Op::V_SMFMAC_F32_16X16X32_F16, sparse<Element::F16, Element::F16, 16, 32>()},
    {Op::V_SMFMAC_F32_32X32X16_F16, sparse<Element::F16, Element::F16, 32, 16>()},
    {Op::V_SMFMAC_F32_16X16X32_BF16, sparse<Element::Bf16, Element::Bf16, 16, 32>()},
    {Op::V_SMFMAC_F32_32X32X16_BF16, sparse<Element::Bf16, Element::Bf16, 32, 16>()},
    {Op::V_SMFMAC_I32_16X16X64_I8, sparse<Element::I8, Element::I8, 16, 64>()},
    {Op::V_SMFMAC_I32_32X32X32_I8, sparse<Element::I8, Element::I8, 32, 32>()},
    HIPSIM_SPARSE8(16X16X64, 16, 64),
    HIPSIM_SPARSE8(32X32X32, 32, 32),
};

} // namespace

void addMatrixSparse(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
