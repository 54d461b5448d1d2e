// MUBUF: loads, stores, loads to LDS and atomics through a buffer descriptor,
// with the range checks of CDNA3 (isa.md 5).
#include "runtime/hipsim/exec/ops/access.h"
#include "runtime/hipsim/exec/ops/atomic_math.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

struct Descriptor {
  u64 base;
  u32 stride, records;
  bool structured; ///< Range checked by index instead of by byte.
};

/// False: a fault has been raised (a descriptor feature not modelled).
HIPSIM_INLINE bool readDescriptor(Wave &w, const Step &s, Descriptor &out) {
  const Instruction &in = *s.instruction;
  const u32 *v = w.sgpr + in.saddr.index;
  out.base = u64(v[0]) | u64(v[1] & 0xffff) << 32;
  out.stride = v[1] >> 16 & 0x3fff;
  out.records = v[2];
  out.structured = in.idxen && out.stride != 0;
  if (v[1] >> 31 || v[3] >> 23 & 1) {
    raiseFault(w, s, FaultKind::IllegalInstruction, -1,
               "buffer descriptor with swizzle or add_tid is not modelled");
    return false;
  }
  return true;
}

HIPSIM_INLINE u32 scalarOffset(const Wave &w, const Operand &o) {
  switch (o.kind) {
  case OperandKind::Sgpr: return w.sgpr[o.index];
  case OperandKind::Const: return o.value;
  default: return 0;
  }
}

/// Where each lane's access starts, and how many of its elements (dwords, or
/// one smaller unit) are in range.
struct Ranges {
  u64 address[laneCount];
  u8 inRange[laneCount];
  bool allInRange; ///< All elements of all active lanes.
};

template <u32 Bytes, bool AllOrNothing>
HIPSIM_INLINE bool computeRanges(Wave &w, const Step &s, Ranges &out) {
  constexpr u32 unit = Bytes < 4 ? Bytes : 4, units = Bytes / unit;
  const Instruction &in = *s.instruction;
  Descriptor d;
  if (!readDescriptor(w, s, d))
    return false;
  Row zero = {};
  const u32 *index = zero.lane, *offset = zero.lane;
  u32 row = rowOf(in.vaddr);
  if (in.idxen)
    index = w.rows[row++].lane;
  if (in.offen)
    offset = w.rows[row].lane;
  u64 soffset = scalarOffset(w, in.soffset);
  u32 imm = u32(in.offset);
  const u32 *mask = execMask(w);
  u32 missing = 0;
  for (u32 l = 0; l < laneCount; ++l) {
    u64 at = u64(u32(offset[l] + imm)) + soffset;
    u64 available = d.records > at ? (d.records - at) / unit : 0;
    if (d.structured)
      available = index[l] < d.records ? units : 0;
    u32 count = available < units ? u32(available) : units;
    if (AllOrNothing && count < units)
      count = 0;
    out.address[l] = d.base + u64(d.stride) * index[l] + at;
    out.inRange[l] = u8(count);
    missing |= (units - count) & mask[l];
  }
  out.allInRange = missing == 0;
  return true;
}

/// Checks the in-range bytes against live memory.
template <u32 Bytes>
HIPSIM_INLINE bool checkRanges(Wave &w, const Step &s, const Ranges &r,
                               bool write) {
  if (r.allInRange)
    return checkGlobal(w, s, r.address, Bytes, write);
  constexpr u32 unit = Bytes < 4 ? Bytes : 4;
  for (u64 e = exec(w); e; e &= e - 1) {
    u32 l = u32(__builtin_ctzll(e)), bytes = r.inRange[l] * unit;
    if (bytes && !findAccess(*w.group, r.address[l], bytes, write)) {
      raiseAccessFault(w, s, i32(l), r.address[l], bytes, write);
      return false;
    }
  }
  return true;
}

/// Pointers to what the lanes read: memory, zeros, or a copy in `mixed` of
/// which the tail is zero.
template <u32 Bytes>
HIPSIM_INLINE void loadPointers(Wave &w, const Ranges &r, u8 (&mixed)[laneCount * 16],
                                Pointers &p) {
  if (r.allInRange) {
    globalPointers(w, r.address, p);
    return;
  }
  constexpr u32 unit = Bytes < 4 ? Bytes : 4, units = Bytes / unit;
  u64 e = exec(w);
  for (u32 l = 0; l < laneCount; ++l) {
    u8 *memory = reinterpret_cast<u8 *>(r.address[l]);
    u32 count = e >> l & 1 ? r.inRange[l] : 0;
    if (count == units) {
      p.lane[l] = memory;
    } else if (count == 0) {
      p.lane[l] = const_cast<u8 *>(zeros);
    } else {
      u8 *copy = mixed + l * 16;
      __builtin_memset(copy, 0, 16);
      __builtin_memcpy(copy, memory, count * unit);
      p.lane[l] = copy;
    }
  }
}

template <Transfer K> void load(Wave &w, const Step &s) {
  Ranges r;
  if (!computeRanges<K.bytes, false>(w, s, r) ||
      !checkRanges<K.bytes>(w, s, r, false))
    return;
  alignas(16) u8 mixed[laneCount * 16];
  Pointers p;
  loadPointers<K.bytes>(w, r, mixed, p);
  if (s.instruction->lds)
    loadToLds<K>(w, s, p);
  else
    gather<K>(w, rowOf(s.instruction->dst), p);
}

template <Transfer K> void store(Wave &w, const Step &s) {
  Ranges r;
  if (!computeRanges<K.bytes, false>(w, s, r) ||
      !checkRanges<K.bytes>(w, s, r, true))
    return;
  u32 row = rowOf(s.instruction->data);
  ++w.group->progress;
  if (r.allInRange) {
    Pointers p;
    globalPointers(w, r.address, p);
    scatter<K>(w, row, p);
    return;
  }
  for (u64 e = exec(w); e; e &= e - 1) {
    u32 l = u32(__builtin_ctzll(e));
    u8 *memory = reinterpret_cast<u8 *>(r.address[l]);
    if constexpr (K.bytes < 4) {
      u32 value = w.rows[row].lane[l] >> (K.half == 2 ? 16 : 0);
      __builtin_memcpy(memory, &value, r.inRange[l] * K.bytes);
    } else {
      for (u32 i = 0; i < r.inRange[l]; ++i)
        __builtin_memcpy(memory + 4 * i, &w.rows[row + i].lane[l], 4);
    }
  }
}

template <class T> HIPSIM_INLINE u64 atomicPointers(Wave &w, const Step &s, Pointers &p, bool &ok) {
  Ranges r;
  ok = computeRanges<sizeof(T), true>(w, s, r) &&
       checkRanges<sizeof(T)>(w, s, r, true);
  u64 lanes = 0;
  for (u32 l = 0; ok && l < laneCount; ++l) {
    p.lane[l] = reinterpret_cast<u8 *>(r.address[l]);
    lanes |= u64(r.inRange[l] != 0) << l;
  }
  return lanes;
}
template <class T, auto F> void atomic(Wave &w, const Step &s) {
  Pointers p;
  bool ok;
  u64 lanes = atomicPointers<T>(w, s, p, ok);
  if (ok)
    atomicLanes<T, F>(w, s, p, lanes);
}
template <class T> void compareSwap(Wave &w, const Step &s) {
  Pointers p;
  bool ok;
  u64 lanes = atomicPointers<T>(w, s, p, ok);
  u32 data = rowOf(s.instruction->data);
  if (ok)
    compareSwapLanes<T>(w, s, p, lanes, data, data + sizeof(T) / 4);
}

#define HIPSIM_BUFFER_LOAD(NAME, KIND)                                         \
  {Op::BUFFER_LOAD_##NAME, custom(&load<KIND>, StepClass::Buffer)},
#define HIPSIM_BUFFER_STORE(NAME, KIND)                                        \
  {Op::BUFFER_STORE_##NAME, custom(&store<KIND>, StepClass::Buffer)},
#define HIPSIM_BUFFER_ATOMIC(NAME, T, F)                                       \
  {Op::BUFFER_ATOMIC_##NAME, custom(&atomic<T, F>, StepClass::Buffer)},

const Entry entries[] = {
    HIPSIM_LOADS(HIPSIM_BUFFER_LOAD) HIPSIM_STORES(HIPSIM_BUFFER_STORE)
    HIPSIM_VECTOR_MEMORY_ATOMICS(HIPSIM_BUFFER_ATOMIC)
    {Op::BUFFER_ATOMIC_CMPSWAP, custom(&compareSwap<u32>, StepClass::Buffer)},
    {Op::BUFFER_ATOMIC_CMPSWAP_X2, custom(&compareSwap<u64>, StepClass::Buffer)},
};

} // namespace

void addBuffer(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
