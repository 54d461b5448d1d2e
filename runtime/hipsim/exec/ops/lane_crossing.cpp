// Operations that move data between lanes, and the wrappers that prepare the
// operands of the SDWA and DPP encodings.
#include "runtime/hipsim/exec/ops/lanes.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

void nothing(Wave &, const Step &) {}

void readFirstLane(Wave &w, const Step &s) {
  Row scratch;
  u64 e = exec(w);
  u32 lane = e ? u32(__builtin_ctzll(e)) : 0;
  w.sgpr[s.dst] = row32(w, s.src[0], scratch)[lane];
}
void readLane(Wave &w, const Step &s) {
  Row scratch;
  w.sgpr[s.dst] = row32(w, s.src[0], scratch)[scalar32(w, s.src[1]) & 63];
}
void writeLane(Wave &w, const Step &s) {
  w.rows[s.dst].lane[scalar32(w, s.src[1]) & 63] = scalar32(w, s.src[0]);
}

/// dst lane l = data of lane source(l), zero where that lane is inactive.
template <class SourceLane>
HIPSIM_INLINE void pullLanes(Wave &w, u32 dst, const u32 *data,
                             SourceLane source) {
  Row result;
  u64 e = exec(w);
  for (u32 l = 0; l < laneCount; ++l) {
    u32 from = source(l);
    result.lane[l] = e >> from & 1 ? data[from] : 0;
  }
  const u32 *mask = execMask(w);
  u32 *d = w.rows[dst].lane;
  HIPSIM_LANES d[l] = blend(mask[l], result.lane[l], d[l]);
}

void backwardPermute(Wave &w, const Step &s) {
  const Instruction &in = *s.instruction;
  const u32 *address = w.rows[rowOf(in.vaddr)].lane;
  u32 offset = u32(in.offset);
  pullLanes(w, rowOf(in.dst), w.rows[rowOf(in.data)].lane,
            [&](u32 l) { return (address[l] + offset) >> 2 & 63; });
}
/// Lanes push their data; of several writers the highest lane wins.
void forwardPermute(Wave &w, const Step &s) {
  const Instruction &in = *s.instruction;
  const u32 *address = w.rows[rowOf(in.vaddr)].lane;
  const u32 *data = w.rows[rowOf(in.data)].lane;
  Row result = {};
  u64 e = exec(w);
  for (u32 l = 0; l < laneCount; ++l)
    if (e >> l & 1)
      result.lane[(address[l] + u32(in.offset)) >> 2 & 63] = data[l];
  const u32 *mask = execMask(w);
  u32 *d = w.rows[rowOf(in.dst)].lane;
  HIPSIM_LANES d[l] = blend(mask[l], result.lane[l], d[l]);
}
/// The lane of 32 that lane l reads: ds_swizzle_b32's modes by their first
/// pattern (AMD's "Vega" ISA document, DS_SWIZZLE_B32).
HIPSIM_INLINE u32 swizzleLane(u32 pattern, u32 l) {
  constexpr u32 fft = 0xe000, rotate = 0xc000, quad = 0x8000;
  u32 mask = pattern & 31, middle = pattern >> 5 & 31;
  if (pattern >= fft)
    return (__builtin_bitreverse32(l) >> 27 >> __builtin_popcount(mask)) | (l & mask);
  if (pattern >= rotate) {
    u32 amount = pattern >> 10 & 1 ? 32 - middle : middle;
    return (l & mask) | ((l + amount) & 31 & ~mask);
  }
  if (pattern >= quad)
    return (l & ~3u) | (pattern >> (2 * (l & 3)) & 3);
  return ((l & mask) | middle) ^ (pattern >> 10 & 31);
}
void swizzle(Wave &w, const Step &s) {
  const Instruction &in = *s.instruction;
  // DS encodings carry the source in `vaddr`.
  const u32 *data = w.rows[rowOf(in.vaddr)].lane;
  u32 pattern = u32(in.offset) & 0xffff;
  pullLanes(w, rowOf(in.dst), data, [&](u32 l) {
    return (l & 32) | swizzleLane(pattern, l & 31);
  });
}

/// Exchanges the upper half of each group of 2 * Width lanes of dst with the
/// lower half of the same group of the source.
template <u32 Width> void permuteSwap(Wave &w, const Step &s) {
  if (~exec(w)) {
    raiseFault(w, s, FaultKind::IllegalInstruction, -1,
               "v_permlane*_swap with inactive lanes is not modelled");
    return;
  }
  u32 *a = w.rows[s.dst].lane, *b = w.rows[s.src[0].index].lane;
  for (u32 group = 0; group < laneCount; group += 2 * Width)
    for (u32 i = 0; i < Width; ++i) {
      u32 t = a[group + Width + i];
      a[group + Width + i] = b[group + i];
      b[group + i] = t;
    }
}

/// A prepared operand: a copy of the step that reads `row` instead.
HIPSIM_INLINE void redirect(Step &step, u32 source, u32 row) {
  step.src[source].kind = SourceKind::Row;
  step.src[source].index = u16(row);
}

void dataParallel(Wave &w, const Step &s) {
  const Instruction &in = *s.instruction;
  const u32 *from = s.sourceLanes->lane;
  u64 oldExec = exec(w), written = 0;
  Row scratch[2];
  u32 dwords = in.src[0].dwords;
  Rows2 source = {};
  if (dwords == 2)
    source = row64(w, s.src[0], scratch);
  else
    source.lo = row32(w, s.src[0], scratch[0]);
  u32 *lo = w.rows[temporaryRow].lane, *hi = w.rows[temporaryRow + 1].lane;
  for (u32 l = 0; l < laneCount; ++l) {
    u32 lane = from[l];
    bool valid = lane < laneCount && (oldExec >> lane & 1);
    bool enabled = (in.rowMask >> (l / 16) & 1) && (in.bankMask >> (l / 4 % 4) & 1);
    lo[l] = valid ? source.lo[lane] : 0;
    if (dwords == 2)
      hi[l] = valid ? source.hi[lane] : 0;
    written |= u64(enabled && (valid || in.boundCtrl)) << l;
  }
  Step inner = s;
  redirect(inner, 0, temporaryRow);
  store64(w.sgpr + sgprExec, oldExec & written);
  s.inner(w, inner);
  store64(w.sgpr + sgprExec, oldExec);
}

HIPSIM_INLINE u32 selectPart(u32 value, u32 select, bool extend) {
  if (select < 4) {
    u32 part = value >> (8 * select) & 0xff;
    return extend ? u32(i32(int8_t(part))) : part;
  }
  if (select < 6) {
    u32 part = value >> (16 * (select - 4)) & 0xffff;
    return extend ? u32(i32(i16(part))) : part;
  }
  return value;
}
/// Merges a result into the selected part of the old destination.
HIPSIM_INLINE u32 mergePart(u32 old, u32 value, u32 select, u32 unused) {
  if (select == 6)
    return value;
  u32 width = select < 4 ? 8 : 16;
  u32 shift = select < 4 ? 8 * select : 16 * (select - 4);
  u32 low = (1u << width) - 1, part = (value & low) << shift;
  if (unused == 2)
    return (old & ~(low << shift)) | part;
  if (unused == 1 && (value >> (width - 1) & 1)) // Sign above, zeros below.
    return part | (shift + width < 32 ? ~0u << (shift + width) : 0);
  return part;
}
void subDword(Wave &w, const Step &s) {
  const Instruction &in = *s.instruction;
  Step inner = s;
  Row scratch;
  for (u32 i = 0; i < 2; ++i) {
    if (s.src[i].kind == SourceKind::None)
      continue;
    const u32 *row = row32(w, s.src[i], scratch);
    u32 *prepared = w.rows[temporaryRow + i].lane;
    u32 select = in.src[i].sel;
    bool extend = in.src[i].sext;
    for (u32 l = 0; l < laneCount; ++l)
      prepared[l] = selectPart(row[l], select, extend);
    redirect(inner, i, temporaryRow + i);
  }
  if (in.format == Format::VOPC) {
    s.inner(w, inner);
    return;
  }
  // An accumulator (src[2] = dst) is read from the real destination.
  inner.dst = temporaryRow + 2;
  s.inner(w, inner);
  const u32 *result = w.rows[temporaryRow + 2].lane;
  const u32 *mask = execMask(w);
  u32 *d = w.rows[s.dst].lane;
  for (u32 l = 0; l < laneCount; ++l)
    d[l] = blend(mask[l], mergePart(d[l], result[l], in.dstSel, in.dstUnused),
                 d[l]);
}

/// s_set_gpr_idx_on .. off: the vector instructions between them address VGPRs
/// relative to the index; imm bits 0..3 say which of src0, src1, src2, dst.
/// The whole region runs here, so that the ordinary path pays nothing.
void relativeRegion(Wave &w, const Step &s) {
  u32 index = scalar32(w, s.src[0]) & 0xff;
  u32 which = u32(s.instruction->imm) & 15;
  w.sgpr[sgprM0] = (w.sgpr[sgprM0] & ~0xf0ffu) | which << 12 | index;
  while (w.status == WaveStatus::Running) {
    const Step &next = w.steps[w.step];
    ++w.step;
    ++w.executed[u32(next.stepClass)];
    if (next.instruction->op == Op::S_SET_GPR_IDX_OFF)
      return;
    if (next.stepClass == StepClass::Branch) {
      raiseFault(w, next, FaultKind::IllegalInstruction, -1,
                 "a branch in a region with relative VGPR indexing is not modelled");
      return;
    }
    Step moved = next;
    bool vector = next.stepClass == StepClass::Vector ||
                  next.stepClass == StepClass::Transcendental;
    bool outside = false;
    auto move = [&](u16 &row) {
      row = u16(row + index);
      outside |= row >= agprRow;
    };
    for (u32 i = 0; vector && i < 3; ++i)
      if ((which >> i & 1) && next.src[i].kind == SourceKind::Row)
        move(moved.src[i].index);
    if (vector && (which & 8) && next.instruction->dst.kind == OperandKind::Vgpr)
      move(moved.dst);
    if (outside) {
      raiseFault(w, next, FaultKind::IllegalInstruction, -1,
                 "relative VGPR indexing reaches past v255");
      return;
    }
    next.handler(w, moved);
  }
}

const Entry entries[] = {
    {Op::S_SET_GPR_IDX_ON, custom(&relativeRegion, StepClass::Control)},
    {Op::S_SET_GPR_IDX_OFF, custom(&nothing, StepClass::Control)},
    {Op::V_READFIRSTLANE_B32, custom(&readFirstLane)},
    {Op::V_READLANE_B32, custom(&readLane)},
    {Op::V_WRITELANE_B32, custom(&writeLane)},
    {Op::V_PERMLANE16_SWAP_B32, custom(&permuteSwap<16>)},
    {Op::V_PERMLANE32_SWAP_B32, custom(&permuteSwap<32>)},
    {Op::DS_BPERMUTE_B32, custom(&backwardPermute, StepClass::Lds)},
    {Op::DS_PERMUTE_B32, custom(&forwardPermute, StepClass::Lds)},
    {Op::DS_SWIZZLE_B32, custom(&swizzle, StepClass::Lds)},
};

} // namespace

void addLaneCrossing(OperationTable &table) {
  addEntries(table, entries);
  table.dpp = &dataParallel;
  table.sdwa = &subDword;
}

} // namespace hipsim::HIPSIM_SIMD
