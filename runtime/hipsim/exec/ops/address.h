// The addresses of FLAT, GLOBAL and SCRATCH instructions, turned into checked
// host pointers. A space's pointers() is false when it has raised a fault.
#pragma once

#include "runtime/hipsim/exec/ops/access.h"

namespace hipsim::HIPSIM_SIMD {

/// 64-bit addresses: vaddr pair + offset, or saddr pair + u32 vaddr + offset.
HIPSIM_INLINE void globalAddresses(Wave &w, const Instruction &in, u64 *out) {
  if (in.saddr.kind == OperandKind::Sgpr) {
    u64 base = load64(w.sgpr + in.saddr.index) + u64(i64(in.offset));
    if (in.vaddr.kind == OperandKind::None) {
      for (u32 l = 0; l < laneCount; ++l)
        out[l] = base;
      return;
    }
    const u32 *v = w.rows[rowOf(in.vaddr)].lane;
    for (u32 l = 0; l < laneCount; ++l)
      out[l] = base + v[l];
    return;
  }
  const u32 *lo = w.rows[rowOf(in.vaddr)].lane, *hi = lo + laneCount;
  u64 offset = u64(i64(in.offset));
  for (u32 l = 0; l < laneCount; ++l)
    out[l] = (u64(lo[l]) | u64(hi[l]) << 32) + offset;
}

struct GlobalSpace {
  static bool pointers(Wave &w, const Step &s, u32 bytes, bool write,
                       Pointers &out) {
    u64 address[laneCount];
    globalAddresses(w, *s.instruction, address);
    if (!checkGlobal(w, s, address, bytes, write))
      return false;
    globalPointers(w, address, out);
    return true;
  }
};

/// Private memory: [lane][scratchBytes], addressed by a 32-bit offset.
struct ScratchSpace {
  static bool pointers(Wave &w, const Step &s, u32 bytes, bool write,
                       Pointers &out) {
    const Instruction &in = *s.instruction;
    u32 base = u32(in.offset);
    if (in.saddr.kind == OperandKind::Sgpr)
      base += w.sgpr[in.saddr.index];
    const u32 *v = in.vaddr.kind == OperandKind::None
                       ? nullptr
                       : w.rows[rowOf(in.vaddr)].lane;
    u64 e = exec(w);
    for (u32 l = 0; l < laneCount; ++l) {
      u32 offset = base + (v ? v[l] : 0);
      if (!(e >> l & 1)) {
        out.lane[l] = const_cast<u8 *>(zeros);
        continue;
      }
      if (u64(offset) + bytes > w.scratchBytes) {
        raiseAccessFault(w, s, i32(l), privateAperture | offset, bytes, write);
        return false;
      }
      out.lane[l] = w.scratch + u64(l) * w.scratchBytes + offset;
    }
    return true;
  }
};

/// Any of global, LDS and private, told apart by the high half of an address.
struct FlatSpace {
  static bool pointers(Wave &w, const Step &s, u32 bytes, bool write,
                       Pointers &out) {
    u64 address[laneCount];
    globalAddresses(w, *s.instruction, address);
    u64 e = exec(w);
    for (u32 l = 0; l < laneCount; ++l) {
      u64 a = address[l];
      u32 offset = u32(a);
      if (!(e >> l & 1)) {
        out.lane[l] = const_cast<u8 *>(zeros);
      } else if (a >> 32 == sharedAperture >> 32 &&
                 u64(offset) + bytes <= w.group->ldsBytes) {
        out.lane[l] = w.group->lds + offset;
      } else if (a >> 32 == privateAperture >> 32 &&
                 u64(offset) + bytes <= w.scratchBytes) {
        out.lane[l] = w.scratch + u64(l) * w.scratchBytes + offset;
      } else if (findAccess(*w.group, a, bytes, write)) {
        out.lane[l] = reinterpret_cast<u8 *>(a);
      } else {
        raiseAccessFault(w, s, i32(l), a, bytes, write);
        return false;
      }
    }
    return true;
  }
};

} // namespace hipsim::HIPSIM_SIMD
