// Memory accesses of a wave: checks, gathers, scatters and atomics over 64
// host pointers. The address spaces (global, LDS, buffer, scratch) differ only
// in how they make the pointers.
#pragma once

#include "runtime/hipsim/exec/ops/lanes.h"

namespace hipsim::HIPSIM_SIMD {

/// What a load or store moves. `half`: 0 whole register, 1 low 16 bits of the
/// register only, 2 high 16 bits only (D16).
struct Transfer {
  u32 bytes;
  bool isSigned = false;
  u32 half = 0;
};

/// Readable by every inactive or out-of-range lane; always zero.
alignas(64) static const u8 zeros[64] = {};

struct Pointers {
  u8 *lane[laneCount];
};

/// Checks [address, address + bytes) of every active lane against live
/// memory. False: the fault has been raised.
HIPSIM_INLINE bool checkGlobal(Wave &w, const Step &s, const u64 *address,
                               u32 bytes, bool write) {
  u64 e = exec(w);
  if (e == 0)
    return true;
  const u32 *mask = execMask(w);
  u64 low = ~0ull, high = 0;
  for (u32 l = 0; l < laneCount; ++l) {
    u64 wide = u64(i64(i32(mask[l])));
    u64 forLow = address[l] | ~wide, forHigh = address[l] & wide;
    low = forLow < low ? forLow : low;
    high = forHigh > high ? forHigh : high;
  }
  AccessCache &cache = w.group->access;
  for (u32 i = 0; i < AccessCache::entries; ++i)
    if (low >= cache.begin[i] && high + bytes <= cache.end[i] &&
        high + bytes > high && (cache.writable[i] || !write))
      return true;
  for (; e; e &= e - 1) {
    u32 l = u32(__builtin_ctzll(e));
    if (!findAccess(*w.group, address[l], bytes, write)) {
      raiseAccessFault(w, s, i32(l), address[l], bytes, write);
      return false;
    }
  }
  return true;
}

/// Pointers of checked global addresses; inactive lanes point to zeros.
HIPSIM_INLINE void globalPointers(Wave &w, const u64 *address, Pointers &out) {
  const u32 *mask = execMask(w);
  u64 zero = u64(zeros);
  for (u32 l = 0; l < laneCount; ++l)
    out.lane[l] = reinterpret_cast<u8 *>(mask[l] ? address[l] : zero);
}

template <class T> HIPSIM_INLINE T readAs(const u8 *p) {
  T value;
  __builtin_memcpy(&value, p, sizeof(T));
  return value;
}

template <Transfer K> HIPSIM_INLINE u32 readSmall(const u8 *p) {
  if constexpr (K.bytes == 1)
    return K.isSigned ? u32(i32(readAs<int8_t>(p))) : readAs<u8>(p);
  else
    return K.isSigned ? u32(i32(readAs<i16>(p))) : readAs<u16>(p);
}

/// Loads into the rows from `dst` on, active lanes only. Every pointer must be
/// readable, those of inactive lanes too.
template <Transfer K>
HIPSIM_INLINE void gather(Wave &w, u32 dst, const Pointers &p) {
  const u32 *mask = execMask(w);
  u32 *d = w.rows[dst].lane;
  if constexpr (K.bytes < 4) {
    Row value;
    for (u32 l = 0; l < laneCount; ++l)
      value.lane[l] = readSmall<K>(p.lane[l]);
    if constexpr (K.half == 0) {
      HIPSIM_LANES d[l] = blend(mask[l], value.lane[l], d[l]);
    } else if constexpr (K.half == 1) {
      HIPSIM_LANES d[l] =
          blend(mask[l] & 0x0000ffffu, value.lane[l], d[l]);
    } else {
      HIPSIM_LANES d[l] =
          blend(mask[l] & 0xffff0000u, value.lane[l] << 16, d[l]);
    }
  } else {
    constexpr u32 dwords = K.bytes / 4;
    alignas(64) u32 packed[laneCount * dwords];
    for (u32 l = 0; l < laneCount; ++l)
      __builtin_memcpy(packed + l * dwords, p.lane[l], K.bytes);
    HIPSIM_LANES {
      for (u32 i = 0; i < dwords; ++i)
        d[i * laneCount + l] =
            blend(mask[l], packed[l * dwords + i], d[i * laneCount + l]);
    }
  }
}

/// Stores the rows from `src` on, active lanes in ascending order.
template <Transfer K>
HIPSIM_INLINE void scatter(Wave &w, u32 src, const Pointers &p) {
  const u32 *d = w.rows[src].lane;
  u64 e = exec(w);
  if constexpr (K.bytes < 4) {
    for (; e; e &= e - 1) {
      u32 l = u32(__builtin_ctzll(e));
      u32 value = K.half == 2 ? d[l] >> 16 : d[l];
      __builtin_memcpy(p.lane[l], &value, K.bytes);
    }
  } else {
    constexpr u32 dwords = K.bytes / 4;
    alignas(64) u32 packed[laneCount * dwords];
    HIPSIM_LANES {
      for (u32 i = 0; i < dwords; ++i)
        packed[l * dwords + i] = d[i * laneCount + l];
    }
    for (; e; e &= e - 1) {
      u32 l = u32(__builtin_ctzll(e));
      __builtin_memcpy(p.lane[l], packed + l * dwords, K.bytes);
    }
  }
}

/// One dword a lane (or `bytes` of it, extended) to LDS at
/// M0[15:0] + instruction offset + lane * stride; see isa.md 5.
template <Transfer K>
HIPSIM_INLINE void loadToLds(Wave &w, const Step &s, const Pointers &p) {
  constexpr u32 stored = K.bytes < 4 ? 4 : K.bytes;
  constexpr u32 stride = K.bytes <= 4 ? 4 : K.bytes == 12 ? 12 : 16;
  u32 base = (w.sgpr[sgprM0] & 0xffff) + u32(s.instruction->offset);
  for (u64 e = exec(w); e; e &= e - 1) {
    u32 l = u32(__builtin_ctzll(e));
    u32 address = base + l * stride;
    if (u64(address) + stored > w.group->ldsBytes)
      continue; // Writes outside LDS are dropped.
    if constexpr (K.bytes < 4) {
      u32 value = readSmall<K>(p.lane[l]);
      __builtin_memcpy(w.group->lds + address, &value, 4);
    } else {
      __builtin_memcpy(w.group->lds + address, p.lane[l], K.bytes);
    }
  }
  ++w.group->progress;
}

/// Atomics: NEW(old, data) applied to each active lane in ascending order.
template <class T, auto F>
HIPSIM_INLINE bool atomicStep(u8 *where, T data, T &old) {
  T *p = reinterpret_cast<T *>(where);
  old = __atomic_load_n(p, __ATOMIC_RELAXED);
  for (;;) {
    T next = F(old, data);
    if (__atomic_compare_exchange_n(p, &old, next, true, __ATOMIC_SEQ_CST,
                                    __ATOMIC_RELAXED))
      return next != old;
  }
}
template <class T> HIPSIM_INLINE T dataAt(const Wave &w, u32 row, u32 l) {
  if constexpr (sizeof(T) == 8)
    return T(w.rows[row].lane[l]) | T(w.rows[row + 1].lane[l]) << 32;
  else
    return T(w.rows[row].lane[l]);
}
template <class T>
HIPSIM_INLINE void putData(Wave &w, u32 row, u32 l, T value) {
  w.rows[row].lane[l] = u32(value);
  if constexpr (sizeof(T) == 8)
    w.rows[row + 1].lane[l] = u32(value >> 32);
}
HIPSIM_INLINE bool aligned(const u8 *p, u32 bytes) {
  return (u64(p) & (bytes - 1)) == 0;
}

/// `lanes`: the active lanes that are in range. The others return 0.
template <class T, auto F>
HIPSIM_INLINE void atomicLanes(Wave &w, const Step &s, const Pointers &p,
                               u64 lanes) {
  const Instruction &in = *s.instruction;
  bool returns = in.dst.kind != OperandKind::None;
  u32 data = rowOf(in.data), dst = rowOf(in.dst);
  for (u64 e = exec(w); e; e &= e - 1) {
    u32 l = u32(__builtin_ctzll(e));
    T old = 0;
    if (lanes >> l & 1) {
      if (!aligned(p.lane[l], sizeof(T))) {
        raiseAccessFault(w, s, i32(l), u64(p.lane[l]), sizeof(T), true);
        return;
      }
      w.group->progress += atomicStep<T, F>(p.lane[l], dataAt<T>(w, data, l), old);
    }
    if (returns)
      putData<T>(w, dst, l, old);
  }
}
/// Compare and swap: `compareFirst` says that the first operand is compared.
template <class T>
HIPSIM_INLINE void compareSwapLanes(Wave &w, const Step &s, const Pointers &p,
                                    u64 lanes, u32 newRow, u32 compareRow) {
  const Instruction &in = *s.instruction;
  bool returns = in.dst.kind != OperandKind::None;
  u32 dst = rowOf(in.dst);
  for (u64 e = exec(w); e; e &= e - 1) {
    u32 l = u32(__builtin_ctzll(e));
    T old = 0;
    if (lanes >> l & 1) {
      if (!aligned(p.lane[l], sizeof(T))) {
        raiseAccessFault(w, s, i32(l), u64(p.lane[l]), sizeof(T), true);
        return;
      }
      old = dataAt<T>(w, compareRow, l);
      T value = dataAt<T>(w, newRow, l), expected = old;
      bool swapped = __atomic_compare_exchange_n(
          reinterpret_cast<T *>(p.lane[l]), &old, value, false,
          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      w.group->progress += swapped && value != expected;
    }
    if (returns)
      putData<T>(w, dst, l, old);
  }
}

} // namespace hipsim::HIPSIM_SIMD
