// DS atomics, with and without the old value returned.
#include "runtime/hipsim/exec/ops/access.h"
#include "runtime/hipsim/exec/ops/atomic_math.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

template <class T> HIPSIM_INLINE u64 pointers(Wave &w, const Step &s, Pointers &p) {
  const Instruction &in = *s.instruction;
  const u32 *address = w.rows[rowOf(in.vaddr)].lane;
  u64 lanes = 0;
  for (u32 l = 0; l < laneCount; ++l) {
    u64 at = u32(address[l] + u32(in.offset));
    p.lane[l] = w.group->lds + at;
    lanes |= u64(at + sizeof(T) <= w.group->ldsBytes) << l;
  }
  return lanes;
}
template <class T, auto F> void atomic(Wave &w, const Step &s) {
  Pointers p;
  u64 lanes = pointers<T>(w, s, p);
  atomicLanes<T, F>(w, s, p, lanes);
}
/// ds_cmpst: the first operand is compared, the second is the new value.
template <class T> void compareStore(Wave &w, const Step &s) {
  Pointers p;
  u64 lanes = pointers<T>(w, s, p);
  compareSwapLanes<T>(w, s, p, lanes, rowOf(s.instruction->data1),
                      rowOf(s.instruction->data));
}
constexpr Operation lds(Handler handler) { return custom(handler, StepClass::Lds); }

#define HIPSIM_DS(NAME, TYPE, T, F)                                            \
  {Op::DS_##NAME##_##TYPE, lds(&atomic<T, F>)},                                \
      {Op::DS_##NAME##_RTN_##TYPE, lds(&atomic<T, F>)},
#define HIPSIM_DS_BOTH(NAME, KIND, F)                                          \
  HIPSIM_DS(NAME, KIND##32, u32, &Atomic::F<u32>)                              \
  HIPSIM_DS(NAME, KIND##64, u64, &Atomic::F<u64>)

const Entry entries[] = {
    HIPSIM_DS_BOTH(ADD, U, add) HIPSIM_DS_BOTH(SUB, U, sub)
    HIPSIM_DS_BOTH(RSUB, U, reverseSub) HIPSIM_DS_BOTH(INC, U, increment)
    HIPSIM_DS_BOTH(DEC, U, decrement) HIPSIM_DS_BOTH(MIN, I, minSigned)
    HIPSIM_DS_BOTH(MAX, I, maxSigned) HIPSIM_DS_BOTH(MIN, U, minUnsigned)
    HIPSIM_DS_BOTH(MAX, U, maxUnsigned) HIPSIM_DS_BOTH(AND, B, bitAnd)
    HIPSIM_DS_BOTH(OR, B, bitOr) HIPSIM_DS_BOTH(XOR, B, bitXor)
    HIPSIM_DS(ADD, F32, u32, &Atomic::addFloat)
    HIPSIM_DS(MIN, F32, u32, &Atomic::minFloat)
    HIPSIM_DS(MAX, F32, u32, &Atomic::maxFloat)
    HIPSIM_DS(ADD, F64, u64, &Atomic::addDouble)
    HIPSIM_DS(MIN, F64, u64, &Atomic::minDouble)
    HIPSIM_DS(MAX, F64, u64, &Atomic::maxDouble)
    HIPSIM_DS(PK_ADD, F16, u32, &Atomic::addHalves)
    HIPSIM_DS(PK_ADD, BF16, u32, &Atomic::addBfloats)
    {Op::DS_WRXCHG_RTN_B32, lds(&atomic<u32, &Atomic::swap<u32>>)},
    {Op::DS_WRXCHG_RTN_B64, lds(&atomic<u64, &Atomic::swap<u64>>)},
    {Op::DS_CMPST_B32, lds(&compareStore<u32>)},
    {Op::DS_CMPST_RTN_B32, lds(&compareStore<u32>)},
    {Op::DS_CMPST_B64, lds(&compareStore<u64>)},
    {Op::DS_CMPST_RTN_B64, lds(&compareStore<u64>)},
};

} // namespace

void addLdsAtomics(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
