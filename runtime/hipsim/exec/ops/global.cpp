// FLAT, GLOBAL and SCRATCH loads, stores, loads to LDS, and cache control.
#include "runtime/hipsim/exec/ops/address.h"
#include "runtime/hipsim/exec/ops/atomic_math.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

template <class Space, Transfer K> void load(Wave &w, const Step &s) {
  Pointers p;
  if (Space::pointers(w, s, K.bytes, false, p))
    gather<K>(w, rowOf(s.instruction->dst), p);
}
template <class Space, Transfer K> void store(Wave &w, const Step &s) {
  Pointers p;
  if (!Space::pointers(w, s, K.bytes, true, p))
    return;
  scatter<K>(w, rowOf(s.instruction->data), p);
  ++w.group->progress;
}
template <class Space, Transfer K> void loadLds(Wave &w, const Step &s) {
  Pointers p;
  if (Space::pointers(w, s, K.bytes, false, p))
    loadToLds<K>(w, s, p);
}
/// Memory is coherent in this mode; the weak model will hook in here.
void cacheControl(Wave &, const Step &) {}

#define HIPSIM_LOAD_ENTRY(FAMILY, SPACE, CLASS, NAME, KIND)                    \
  {Op::FAMILY##_LOAD_##NAME, custom(&load<SPACE, KIND>, StepClass::CLASS)},
#define HIPSIM_STORE_ENTRY(FAMILY, SPACE, CLASS, NAME, KIND)                   \
  {Op::FAMILY##_STORE_##NAME, custom(&store<SPACE, KIND>, StepClass::CLASS)},
#define HIPSIM_GLOBAL_LOAD(N, K) HIPSIM_LOAD_ENTRY(GLOBAL, GlobalSpace, Global, N, K)
#define HIPSIM_GLOBAL_STORE(N, K) HIPSIM_STORE_ENTRY(GLOBAL, GlobalSpace, Global, N, K)
#define HIPSIM_FLAT_LOAD(N, K) HIPSIM_LOAD_ENTRY(FLAT, FlatSpace, Global, N, K)
#define HIPSIM_FLAT_STORE(N, K) HIPSIM_STORE_ENTRY(FLAT, FlatSpace, Global, N, K)
#define HIPSIM_SCRATCH_LOAD(N, K) HIPSIM_LOAD_ENTRY(SCRATCH, ScratchSpace, Scratch, N, K)
#define HIPSIM_SCRATCH_STORE(N, K) HIPSIM_STORE_ENTRY(SCRATCH, ScratchSpace, Scratch, N, K)

const Entry entries[] = {
    HIPSIM_LOADS(HIPSIM_GLOBAL_LOAD) HIPSIM_STORES(HIPSIM_GLOBAL_STORE)
    HIPSIM_LOADS(HIPSIM_FLAT_LOAD) HIPSIM_STORES(HIPSIM_FLAT_STORE)
    HIPSIM_LOADS(HIPSIM_SCRATCH_LOAD) HIPSIM_STORES(HIPSIM_SCRATCH_STORE)
    {Op::GLOBAL_LOAD_LDS_UBYTE, custom(&loadLds<GlobalSpace, Transfer{1}>, StepClass::Global)},
    {Op::GLOBAL_LOAD_LDS_SBYTE, custom(&loadLds<GlobalSpace, Transfer{1, true}>, StepClass::Global)},
    {Op::GLOBAL_LOAD_LDS_USHORT, custom(&loadLds<GlobalSpace, Transfer{2}>, StepClass::Global)},
    {Op::GLOBAL_LOAD_LDS_SSHORT, custom(&loadLds<GlobalSpace, Transfer{2, true}>, StepClass::Global)},
    {Op::GLOBAL_LOAD_LDS_DWORD, custom(&loadLds<GlobalSpace, Transfer{4}>, StepClass::Global)},
    {Op::GLOBAL_LOAD_LDS_DWORDX3, custom(&loadLds<GlobalSpace, Transfer{12}>, StepClass::Global)},
    {Op::GLOBAL_LOAD_LDS_DWORDX4, custom(&loadLds<GlobalSpace, Transfer{16}>, StepClass::Global)},
    {Op::BUFFER_WBL2, custom(&cacheControl, StepClass::Control)},
    {Op::BUFFER_INV, custom(&cacheControl, StepClass::Control)},
};

} // namespace

void addGlobal(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
