// DS loads and stores. Reads outside LDS return zero, writes are dropped.
#include "runtime/hipsim/exec/ops/access.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

/// Pointers into LDS; lanes out of range read zeros and are cleared in the
/// result, as are inactive ones.
HIPSIM_INLINE u64 ldsPointers(Wave &w, u32 row, u32 offset, u32 bytes, Pointers &p) {
  const u32 *address = w.rows[row].lane;
  u8 *lds = w.group->lds;
  u64 limit = w.group->ldsBytes, e = exec(w);
  u64 ok = 0;
  u8 *zero = const_cast<u8 *>(zeros);
  for (u32 l = 0; l < laneCount; ++l) {
    u64 at = u32(address[l] + offset); // Hardware adds in 32 bits.
    bool inside = at + bytes <= limit && (e >> l & 1);
    p.lane[l] = inside ? lds + at : zero;
    ok |= u64(inside) << l;
  }
  return ok;
}

template <Transfer K> void read(Wave &w, const Step &s) {
  const Instruction &in = *s.instruction;
  Pointers p;
  ldsPointers(w, rowOf(in.vaddr), u32(in.offset), K.bytes, p);
  gather<K>(w, rowOf(in.dst), p);
}

/// Runs scatter with EXEC reduced to the lanes that are in range.
template <Transfer K>
HIPSIM_INLINE void scatterLanes(Wave &w, u32 row, const Pointers &p, u64 lanes) {
  u64 old = exec(w);
  store64(w.sgpr + sgprExec, lanes);
  scatter<K>(w, row, p);
  store64(w.sgpr + sgprExec, old);
}
template <Transfer K> void write(Wave &w, const Step &s) {
  const Instruction &in = *s.instruction;
  Pointers p;
  u64 lanes = ldsPointers(w, rowOf(in.vaddr), u32(in.offset), K.bytes, p);
  scatterLanes<K>(w, rowOf(in.data), p, lanes);
  ++w.group->progress;
}

/// read2 / write2: two 8-bit offsets in units of the element, or 64 of it.
template <u32 Bytes, u32 Scale> void read2(Wave &w, const Step &s) {
  const Instruction &in = *s.instruction;
  u32 row = rowOf(in.vaddr), dst = rowOf(in.dst);
  u32 offset[2] = {u32(in.offset) & 0xff, u32(in.offset) >> 8 & 0xff};
  Pointers p[2];
  for (u32 i = 0; i < 2; ++i)
    ldsPointers(w, row, offset[i] * Bytes * Scale, Bytes, p[i]);
  for (u32 i = 0; i < 2; ++i)
    gather<Transfer{Bytes}>(w, dst + i * Bytes / 4, p[i]);
}
template <u32 Bytes, u32 Scale> void write2(Wave &w, const Step &s) {
  const Instruction &in = *s.instruction;
  u32 offset[2] = {u32(in.offset) & 0xff, u32(in.offset) >> 8 & 0xff};
  u32 data[2] = {rowOf(in.data), rowOf(in.data1)};
  for (u32 i = 0; i < 2; ++i) {
    Pointers p;
    u64 lanes = ldsPointers(w, rowOf(in.vaddr), offset[i] * Bytes * Scale, Bytes, p);
    scatterLanes<Transfer{Bytes}>(w, data[i], p, lanes);
  }
  ++w.group->progress;
}

/// ds_read_*_tr_*: a transpose within 16 lanes. With E elements a lane,
/// element n of lane i is element i % E of lane (16 / E) * n + i / E.
template <u32 Bits> void readTransposed(Wave &w, const Step &s) {
  constexpr u32 bytes = Bits == 6 ? 12 : 8, elements = bytes * 8 / Bits;
  const Instruction &in = *s.instruction;
  if (~exec(w)) {
    raiseFault(w, s, FaultKind::IllegalInstruction, -1,
               "a transposing LDS read needs all lanes active");
    return;
  }
  Pointers p;
  ldsPointers(w, rowOf(in.vaddr), u32(in.offset), bytes, p);
  unsigned __int128 source[laneCount];
  for (u32 l = 0; l < laneCount; ++l) {
    source[l] = 0;
    __builtin_memcpy(&source[l], p.lane[l], bytes);
  }
  constexpr u64 low = (1ull << Bits) - 1;
  for (u32 l = 0; l < laneCount; ++l) {
    u32 group = l & ~15u, i = l & 15;
    unsigned __int128 result = 0;
    for (u32 n = 0; n < elements; ++n) {
      // For 4 and 6 bits there are 16 elements: lane n, element i.
      u32 lane = elements >= 16 ? n : (16 / elements) * n + i / elements;
      u64 element = u64(source[group + lane] >> (Bits * (i % elements))) & low;
      result |= static_cast<unsigned __int128>(element) << (Bits * n);
    }
    for (u32 d = 0; d < bytes / 4; ++d)
      w.rows[rowOf(in.dst) + d].lane[l] = u32(result >> (32 * d));
  }
}

constexpr Operation lds(Handler handler) { return custom(handler, StepClass::Lds); }

const Entry entries[] = {
    {Op::DS_READ_B32, lds(&read<Transfer{4}>)},
    {Op::DS_READ_B64, lds(&read<Transfer{8}>)},
    {Op::DS_READ_B96, lds(&read<Transfer{12}>)},
    {Op::DS_READ_B128, lds(&read<Transfer{16}>)},
    {Op::DS_READ_U8, lds(&read<Transfer{1}>)},
    {Op::DS_READ_I8, lds(&read<Transfer{1, true}>)},
    {Op::DS_READ_U16, lds(&read<Transfer{2}>)},
    {Op::DS_READ_I16, lds(&read<Transfer{2, true}>)},
    {Op::DS_READ_U8_D16, lds(&read<Transfer{1, false, 1}>)},
    {Op::DS_READ_I8_D16, lds(&read<Transfer{1, true, 1}>)},
    {Op::DS_READ_U16_D16, lds(&read<Transfer{2, false, 1}>)},
    {Op::DS_READ_U8_D16_HI, lds(&read<Transfer{1, false, 2}>)},
    {Op::DS_READ_I8_D16_HI, lds(&read<Transfer{1, true, 2}>)},
    {Op::DS_READ_U16_D16_HI, lds(&read<Transfer{2, false, 2}>)},
    {Op::DS_READ2_B32, lds(&read2<4, 1>)},
    {Op::DS_READ2ST64_B32, lds(&read2<4, 64>)},
    {Op::DS_READ2_B64, lds(&read2<8, 1>)},
    {Op::DS_READ2ST64_B64, lds(&read2<8, 64>)},
    {Op::DS_WRITE_B8, lds(&write<Transfer{1}>)},
    {Op::DS_WRITE_B16, lds(&write<Transfer{2}>)},
    {Op::DS_WRITE_B8_D16_HI, lds(&write<Transfer{1, false, 2}>)},
    {Op::DS_WRITE_B16_D16_HI, lds(&write<Transfer{2, false, 2}>)},
    {Op::DS_WRITE_B32, lds(&write<Transfer{4}>)},
    {Op::DS_WRITE_B64, lds(&write<Transfer{8}>)},
    {Op::DS_WRITE_B96, lds(&write<Transfer{12}>)},
    {Op::DS_WRITE_B128, lds(&write<Transfer{16}>)},
    {Op::DS_WRITE2_B32, lds(&write2<4, 1>)},
    {Op::DS_WRITE2ST64_B32, lds(&write2<4, 64>)},
    {Op::DS_WRITE2_B64, lds(&write2<8, 1>)},
    {Op::DS_WRITE2ST64_B64, lds(&write2<8, 64>)},
    {Op::DS_READ_B64_TR_B16, lds(&readTransposed<16>)},
    {Op::DS_READ_B64_TR_B8, lds(&readTransposed<8>)},
    {Op::DS_READ_B64_TR_B4, lds(&readTransposed<4>)},
    {Op::DS_READ_B96_TR_B6, lds(&readTransposed<6>)},
};

} // namespace

void addLds(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
