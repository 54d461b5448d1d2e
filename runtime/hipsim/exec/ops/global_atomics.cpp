// FLAT and GLOBAL atomics.
#include "runtime/hipsim/exec/ops/address.h"
#include "runtime/hipsim/exec/ops/atomic_math.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

template <class Space, class T, auto F> void atomic(Wave &w, const Step &s) {
  Pointers p;
  if (Space::pointers(w, s, sizeof(T), true, p))
    atomicLanes<T, F>(w, s, p, ~0ull);
}
/// Data: the new value, then the value compared with.
template <class Space, class T> void compareSwap(Wave &w, const Step &s) {
  Pointers p;
  u32 data = rowOf(s.instruction->data);
  if (Space::pointers(w, s, sizeof(T), true, p))
    compareSwapLanes<T>(w, s, p, ~0ull, data, data + sizeof(T) / 4);
}

#define HIPSIM_GLOBAL_ATOMIC(NAME, T, F)                                       \
  {Op::GLOBAL_ATOMIC_##NAME, custom(&atomic<GlobalSpace, T, F>, StepClass::Global)},
#define HIPSIM_FLAT_ATOMIC(NAME, T, F)                                         \
  {Op::FLAT_ATOMIC_##NAME, custom(&atomic<FlatSpace, T, F>, StepClass::Global)},

const Entry entries[] = {
    HIPSIM_VECTOR_MEMORY_ATOMICS(HIPSIM_GLOBAL_ATOMIC)
    HIPSIM_VECTOR_MEMORY_ATOMICS(HIPSIM_FLAT_ATOMIC)
    {Op::GLOBAL_ATOMIC_CMPSWAP, custom(&compareSwap<GlobalSpace, u32>, StepClass::Global)},
    {Op::GLOBAL_ATOMIC_CMPSWAP_X2, custom(&compareSwap<GlobalSpace, u64>, StepClass::Global)},
    {Op::FLAT_ATOMIC_CMPSWAP, custom(&compareSwap<FlatSpace, u32>, StepClass::Global)},
    {Op::FLAT_ATOMIC_CMPSWAP_X2, custom(&compareSwap<FlatSpace, u64>, StepClass::Global)},
};

} // namespace

void addGlobalAtomics(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
