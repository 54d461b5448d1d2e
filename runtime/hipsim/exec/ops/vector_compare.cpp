// Vector comparisons: VOPC in all its encodings.
#include "runtime/hipsim/exec/ops/float_math.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

/// Writes the mask, zero for inactive lanes; CMPX writes EXEC as well.
HIPSIM_INLINE void writeMask(Wave &w, const Step &s, const Row &row, bool toExec) {
  u64 mask = signBits(row.lane) & exec(w);
  store64(w.sgpr + s.dst2, mask);
  if (toExec)
    store64(w.sgpr + sgprExec, mask);
}

template <auto F, bool ToExec> void compare(Wave &w, const Step &s) {
  using S = SignatureOf<F>;
  Row scratch[4], result;
  auto a = View<typename S::First>::fetch(w, s, 0, scratch);
  auto b = View<typename S::Second>::fetch(w, s, 1, scratch + 2);
  HIPSIM_LANES result.lane[l] = 0u - u32(bool(F(a.at(l), b.at(l))));
  writeMask(w, s, result, ToExec);
}

/// Class bits: sNaN, qNaN, -inf, -normal, -subnormal, -0, +0, +subnormal,
/// +normal, +inf.
HIPSIM_INLINE u32 classify(u64 magnitude, bool negative, u64 smallestNormal,
                           u64 infinity, u64 quietBit) {
  u32 kind = magnitude > infinity ? 0
             : magnitude == infinity ? 1
             : magnitude >= smallestNormal ? 2
             : magnitude ? 3 : 4;
  if (kind == 0)
    return magnitude & quietBit ? 1u << 1 : 1u << 0;
  return negative ? 1u << (1 + kind) : 1u << (10 - kind);
}
template <class T> HIPSIM_INLINE u32 classOf(T a) {
  if constexpr (sizeof(T) == 8)
    return classify(bits<u64>(a) & 0x7fffffffffffffffull, bits<u64>(a) >> 63,
                    1ull << 52, 0x7ffull << 52, 1ull << 51);
  else if constexpr (sizeof(T) == 4)
    return classify(bits<u32>(a) & 0x7fffffffu, bits<u32>(a) >> 31, 1u << 23,
                    0xffu << 23, 1u << 22);
  else
    return classify(bits<u16>(a) & 0x7fffu, bits<u16>(a) >> 15, 1u << 10,
                    0x1fu << 10, 1u << 9);
}
template <class T, bool ToExec> void compareClass(Wave &w, const Step &s) {
  Row scratch[3], result;
  auto a = View<T>::fetch(w, s, 0, scratch);
  const u32 *classes = row32(w, s.src[1], scratch[2]);
  for (u32 l = 0; l < laneCount; ++l)
    result.lane[l] = 0u - u32((classOf(a.at(l)) & classes[l]) != 0);
  writeMask(w, s, result, ToExec);
}

template <auto F, bool ToExec> constexpr Operation comparison() {
  Operation operation = custom(&compare<F, ToExec>);
  operation.type[0] = valueType<typename SignatureOf<F>::First>();
  operation.type[1] = operation.type[0];
  operation.number[0] = numberType<typename SignatureOf<F>::First>();
  operation.number[1] = operation.number[0];
  return operation;
}
template <class T, bool ToExec> constexpr Operation classTest() {
  Operation operation = custom(&compareClass<T, ToExec>);
  operation.type[0] = valueType<T>();
  return operation;
}

#define HIPSIM_PREDICATE(NAME, T, EXPR)                                        \
  {Op::V_CMP_##NAME, comparison<[](T a, T b) { return EXPR; }, false>()},      \
  {                                                                            \
    Op::V_CMPX_##NAME, comparison<[](T a, T b) { return EXPR; }, true>()       \
  }
// The unordered cases: ! of the ordered one.
#define HIPSIM_FLOAT_PREDICATES(SUFFIX, T)                                     \
  HIPSIM_PREDICATE(F_##SUFFIX, T, ((void)a, (void)b, false)),                  \
      HIPSIM_PREDICATE(LT_##SUFFIX, T, a < b),                                 \
      HIPSIM_PREDICATE(EQ_##SUFFIX, T, a == b),                                \
      HIPSIM_PREDICATE(LE_##SUFFIX, T, a <= b),                                \
      HIPSIM_PREDICATE(GT_##SUFFIX, T, a > b),                                 \
      HIPSIM_PREDICATE(LG_##SUFFIX, T, (a < b) | (a > b)),                     \
      HIPSIM_PREDICATE(GE_##SUFFIX, T, a >= b),                                \
      HIPSIM_PREDICATE(O_##SUFFIX, T, (a == a) & (b == b)),                    \
      HIPSIM_PREDICATE(U_##SUFFIX, T, (a != a) | (b != b)),                    \
      HIPSIM_PREDICATE(NGE_##SUFFIX, T, !(a >= b)),                            \
      HIPSIM_PREDICATE(NLG_##SUFFIX, T, !((a < b) | (a > b))),                 \
      HIPSIM_PREDICATE(NGT_##SUFFIX, T, !(a > b)),                             \
      HIPSIM_PREDICATE(NLE_##SUFFIX, T, !(a <= b)),                            \
      HIPSIM_PREDICATE(NEQ_##SUFFIX, T, a != b),                               \
      HIPSIM_PREDICATE(NLT_##SUFFIX, T, !(a < b)),                             \
      HIPSIM_PREDICATE(TRU_##SUFFIX, T, ((void)a, (void)b, true))
#define HIPSIM_INTEGER_PREDICATES(SUFFIX, T)                                   \
  HIPSIM_PREDICATE(F_##SUFFIX, T, ((void)a, (void)b, false)),                  \
      HIPSIM_PREDICATE(LT_##SUFFIX, T, a < b),                                 \
      HIPSIM_PREDICATE(EQ_##SUFFIX, T, a == b),                                \
      HIPSIM_PREDICATE(LE_##SUFFIX, T, a <= b),                                \
      HIPSIM_PREDICATE(GT_##SUFFIX, T, a > b),                                 \
      HIPSIM_PREDICATE(NE_##SUFFIX, T, a != b),                                \
      HIPSIM_PREDICATE(GE_##SUFFIX, T, a >= b),                                \
      HIPSIM_PREDICATE(T_##SUFFIX, T, ((void)a, (void)b, true))

const Entry entries[] = {
    HIPSIM_FLOAT_PREDICATES(F16, f16),
    HIPSIM_FLOAT_PREDICATES(F32, float),
    HIPSIM_FLOAT_PREDICATES(F64, double),
    HIPSIM_INTEGER_PREDICATES(I16, i16),
    HIPSIM_INTEGER_PREDICATES(U16, u16),
    HIPSIM_INTEGER_PREDICATES(I32, i32),
    HIPSIM_INTEGER_PREDICATES(U32, u32),
    HIPSIM_INTEGER_PREDICATES(I64, i64),
    HIPSIM_INTEGER_PREDICATES(U64, u64),
    {Op::V_CMP_CLASS_F16, classTest<f16, false>()},
    {Op::V_CMPX_CLASS_F16, classTest<f16, true>()},
    {Op::V_CMP_CLASS_F32, classTest<float, false>()},
    {Op::V_CMPX_CLASS_F32, classTest<float, true>()},
    {Op::V_CMP_CLASS_F64, classTest<double, false>()},
    {Op::V_CMPX_CLASS_F64, classTest<double, true>()},
};

} // namespace

void addVectorCompare(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
