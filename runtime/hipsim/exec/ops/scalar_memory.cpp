// Scalar loads (SMEM) and the clock.
#include "runtime/hipsim/exec/ops/lanes.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

HIPSIM_INLINE u64 offsetOf(const Wave &w, const Step &s) {
  u64 offset = u64(i64(s.instruction->offset));
  if (s.src[1].kind != SourceKind::None)
    offset += scalar32(w, s.src[1]);
  return offset;
}

template <u32 Dwords> void load(Wave &w, const Step &s) {
  u64 base = load64(w.sgpr + s.src[0].index);
  u64 address = (base + offsetOf(w, s)) & ~3ull;
  if (!findScalarAccess(*w.group, address, Dwords * 4)) {
    raiseAccessFault(w, s, -1, address, Dwords * 4, false);
    return;
  }
  __builtin_memcpy(w.sgpr + s.dst, reinterpret_cast<const void *>(address),
                   Dwords * 4);
}

/// Through a buffer descriptor: dwords beyond num_records read as zero.
template <u32 Dwords> void bufferLoad(Wave &w, const Step &s) {
  const u32 *v = w.sgpr + s.src[0].index;
  u64 base = (u64(v[0]) | u64(v[1] & 0xffff) << 32) & ~3ull;
  u64 stride = v[1] >> 16 & 0x3fff;
  u64 records = v[2], limit = stride ? stride * records : records;
  u64 offset = offsetOf(w, s) & ~3ull;
  u32 values[Dwords];
  for (u32 i = 0; i < Dwords; ++i) {
    u64 at = offset + 4 * i;
    values[i] = 0;
    if (at + 4 > limit)
      continue;
    if (!findAccess(*w.group, base + at, 4, false)) {
      raiseAccessFault(w, s, -1, base + at, 4, false);
      return;
    }
    __builtin_memcpy(values + i, reinterpret_cast<const void *>(base + at), 4);
  }
  __builtin_memcpy(w.sgpr + s.dst, values, sizeof(values));
}

/// Time is counted in executed steps: monotonic and reproducible.
void clock(Wave &w, const Step &s) {
  store64(w.sgpr + s.dst, w.group->clock * 4);
}
void nothing(Wave &, const Step &) {}

#define HIPSIM_SMEM(OP, HANDLER) {Op::OP, custom(&HANDLER, StepClass::ScalarMemory)}

const Entry entries[] = {
    HIPSIM_SMEM(S_LOAD_DWORD, load<1>),
    HIPSIM_SMEM(S_LOAD_DWORDX2, load<2>),
    HIPSIM_SMEM(S_LOAD_DWORDX4, load<4>),
    HIPSIM_SMEM(S_LOAD_DWORDX8, load<8>),
    HIPSIM_SMEM(S_LOAD_DWORDX16, load<16>),
    HIPSIM_SMEM(S_BUFFER_LOAD_DWORD, bufferLoad<1>),
    HIPSIM_SMEM(S_BUFFER_LOAD_DWORDX2, bufferLoad<2>),
    HIPSIM_SMEM(S_BUFFER_LOAD_DWORDX4, bufferLoad<4>),
    HIPSIM_SMEM(S_BUFFER_LOAD_DWORDX8, bufferLoad<8>),
    HIPSIM_SMEM(S_BUFFER_LOAD_DWORDX16, bufferLoad<16>),
    HIPSIM_SMEM(S_MEMTIME, clock),
    HIPSIM_SMEM(S_MEMREALTIME, clock),
    HIPSIM_SMEM(S_DCACHE_INV, nothing),
    HIPSIM_SMEM(S_DCACHE_INV_VOL, nothing),
    HIPSIM_SMEM(S_DCACHE_WB, nothing),
    HIPSIM_SMEM(S_DCACHE_WB_VOL, nothing),
};

} // namespace

void addScalarMemory(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
