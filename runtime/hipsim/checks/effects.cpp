// Reading the effects of an instruction off its operands; see
// ../isa/README.md for where each format puts them.
#include "runtime/hipsim/checks/effects.h"

#include <algorithm>
#include <string>
#include <string_view>

using namespace hipsim;

namespace {

/// DS accesses whose size does not follow from their registers.
struct DsShape {
  Op op;
  uint8_t bytes, pieces;
  uint16_t scale; ///< Bytes of one unit of an offset; two-address forms.
};
constexpr DsShape dsShapes[] = {
    {Op::DS_READ_U8, 1, 1, 1},          {Op::DS_READ_I8, 1, 1, 1},
    {Op::DS_READ_U8_D16, 1, 1, 1},      {Op::DS_READ_U8_D16_HI, 1, 1, 1},
    {Op::DS_READ_I8_D16, 1, 1, 1},      {Op::DS_READ_I8_D16_HI, 1, 1, 1},
    {Op::DS_READ_U16, 2, 1, 1},         {Op::DS_READ_I16, 2, 1, 1},
    {Op::DS_READ_U16_D16, 2, 1, 1},     {Op::DS_READ_U16_D16_HI, 2, 1, 1},
    {Op::DS_WRITE_B8, 1, 1, 1},         {Op::DS_WRITE_B8_D16_HI, 1, 1, 1},
    {Op::DS_WRITE_B16, 2, 1, 1},        {Op::DS_WRITE_B16_D16_HI, 2, 1, 1},
    {Op::DS_READ2_B32, 4, 2, 4},        {Op::DS_READ2_B64, 8, 2, 8},
    {Op::DS_READ2ST64_B32, 4, 2, 256},  {Op::DS_READ2ST64_B64, 8, 2, 512},
    {Op::DS_WRITE2_B32, 4, 2, 4},       {Op::DS_WRITE2_B64, 8, 2, 8},
    {Op::DS_WRITE2ST64_B32, 4, 2, 256}, {Op::DS_WRITE2ST64_B64, 8, 2, 512},
};
/// DS instructions that use the crossbar of LDS, not its memory.
constexpr Op dsWithoutMemory[] = {
    Op::DS_PERMUTE_B32, Op::DS_BPERMUTE_B32, Op::DS_SWIZZLE_B32, Op::DS_NOP};
/// What the mnemonic of a vector memory instruction says.
struct MemoryShape {
  bool store = false, atomic = false;
  uint8_t bytes = 0; ///< 0: whole registers.
};
MemoryShape shapeOf(Op op) {
  std::string_view name = mnemonic(op);
  auto has = [&](const char *word) { return name.find(word) != name.npos; };
  MemoryShape shape;
  shape.store = has("_store_");
  shape.atomic = has("_atomic_");
  shape.bytes = has("byte")                       ? 1
                : has("short") || has("d16")      ? 2
                : has("dwordx3") && has("_load_") ? 12
                : has("dwordx4") && has("_load_") ? 16
                                                  : 0;
  return shape;
}

bool present(const Operand &o) { return o.kind != OperandKind::None; }

void addSpan(Effects &e, const Operand &o, bool written) {
  uint32_t first;
  switch (o.kind) {
  case OperandKind::Vgpr: first = o.index; break;
  case OperandKind::Agpr: first = agprRow + o.index; break;
  case OperandKind::Sgpr: first = scalarRegister + o.index; break;
  case OperandKind::Special:
    if (o.index == 251) // vccz
      e.spans[e.spanCount++] = {scalarRegister + sgprVcc, 2, false};
    return;
  default: return;
  }
  if (e.spanCount < Effects::maxSpans)
    e.spans[e.spanCount++] = {uint16_t(first), o.dwords, written};
}
void addScalar(Effects &e, uint32_t index, uint8_t count) {
  if (e.spanCount < Effects::maxSpans)
    e.spans[e.spanCount++] = {uint16_t(scalarRegister + index), count, false};
}

void addRegisters(Effects &e, const Instruction &in) {
  addSpan(e, in.dst, true);
  addSpan(e, in.dst2, true);
  for (const Operand *o : {&in.src[0], &in.src[1], &in.src[2], &in.scale[0],
                           &in.scale[1], &in.vaddr, &in.saddr, &in.soffset,
                           &in.data, &in.data1})
    if (present(*o))
      addSpan(e, *o, false);
  switch (in.op) {
  case Op::S_CBRANCH_VCCZ: case Op::S_CBRANCH_VCCNZ:
  case Op::V_DIV_FMAS_F32: case Op::V_DIV_FMAS_F64:
    addScalar(e, sgprVcc, 2);
    break;
  default: break;
  }
  e.allLanes = in.format == Format::MFMA || in.dpp != DppKind::None ||
               in.op == Op::V_READLANE_B32 || in.op == Op::V_WRITELANE_B32 ||
               in.op == Op::V_READFIRSTLANE_B32;
}

void setDs(Effects &e, const Instruction &in) {
  e.kind = EventKind::Ds;
  if (std::find(std::begin(dsWithoutMemory), std::end(dsWithoutMemory), in.op) !=
      std::end(dsWithoutMemory))
    return;
  bool stores = present(in.data), atomic = stores && present(in.dst);
  uint32_t offset = uint32_t(in.offset);
  e.ldsOffset[0] = offset;
  e.ldsBytes = uint8_t(4 * (stores ? in.data.dwords : in.dst.dwords));
  bool listed = false;
  for (const DsShape &shape : dsShapes) {
    if (shape.op != in.op)
      continue;
    listed = true;
    e.ldsBytes = shape.bytes;
    e.pieces = shape.pieces;
    if (shape.pieces == 2) {
      e.ldsOffset[0] = (offset & 0xff) * shape.scale;
      e.ldsOffset[1] = (offset >> 8 & 0xff) * shape.scale;
    }
  }
  switch (in.op) {
  case Op::DS_WRITE_B32: case Op::DS_WRITE_B64: case Op::DS_WRITE_B96:
  case Op::DS_WRITE_B128: listed = true; break;
  default: break;
  }
  e.lds = !stores                ? LdsAccess::Read
          : atomic || !listed ? LdsAccess::Atomic
                                 : LdsAccess::Write;
}

void setVectorMemory(Effects &e, const Instruction &in) {
  bool flat = in.format == Format::FLAT;
  bool stores = present(in.data), loads = present(in.dst);
  MemoryShape shape = shapeOf(in.op);
  uint32_t registers = stores ? in.data.dwords : loads ? in.dst.dwords : 1;
  uint32_t bytes = shape.bytes ? shape.bytes : 4 * registers;
  if (in.format != Format::SCRATCH) {
    e.global = shape.atomic  ? GlobalAccess::Atomic
               : shape.store ? GlobalAccess::Store
                             : GlobalAccess::Load;
    e.globalBytes = uint8_t(bytes);
  }
  if (!stores && !loads) {
    e.kind = EventKind::LdsLoad;
    e.lds = LdsAccess::Write;
    e.ldsBytes = uint8_t(std::max(bytes, 4u)); // Narrow loads are extended.
    addScalar(e, sgprM0, 1);
    return;
  }
  e.kind = flat    ? EventKind::Flat
           : loads ? EventKind::VectorLoad
                   : EventKind::VectorStore;
  if (!flat)
    return;
  e.ldsBytes = uint8_t(bytes);
  e.lds = shape.atomic  ? LdsAccess::Atomic
          : shape.store ? LdsAccess::Write
                        : LdsAccess::Read;
}

Effects effectsOfStep(const Step &s) {
  const Instruction &in = *s.instruction;
  Effects e;
  addRegisters(e, in);
  switch (in.format) {
  case Format::SMEM:
    e.kind = EventKind::Scalar;
    if (std::string_view(mnemonic(in.op)).starts_with("s_load"))
      e.global = GlobalAccess::Load;
    e.globalBytes = uint8_t(4 * in.dst.dwords);
    break;
  case Format::DS: setDs(e, in); break;
  case Format::FLAT: case Format::GLOBAL: case Format::SCRATCH:
    setVectorMemory(e, in);
    break;
  case Format::MUBUF:
    // An invalidation is not counted; a write-back counts like a store.
    e.writesBack = in.op == Op::BUFFER_WBL2 && in.sc1;
    e.invalidates = in.op == Op::BUFFER_INV && in.sc1;
    if (in.op == Op::BUFFER_WBL2)
      e.kind = EventKind::VectorStore;
    else if (in.op != Op::BUFFER_INV)
      setVectorMemory(e, in);
    break;
  case Format::SOPP:
    if (in.op == Op::S_WAITCNT) {
      uint32_t imm = uint32_t(in.imm);
      e.kind = EventKind::Wait;
      e.vmCount = uint8_t((imm & 15) | (imm >> 14 & 3) << 4);
      e.lgkmCount = uint8_t(imm >> 8 & 15);
    } else if (in.op == Op::S_BARRIER) {
      e.kind = EventKind::Barrier;
    } else if (in.op == Op::S_ENDPGM) {
      e.kind = EventKind::End;
    }
    break;
  default: break;
  }
  return e;
}

} // namespace

std::vector<Effects> hipsim::effectsOf(const std::vector<Step> &steps) {
  std::vector<Effects> result;
  result.reserve(steps.size());
  for (const Step &s : steps)
    result.push_back(effectsOfStep(s));
  return result;
}

std::string hipsim::registerName(uint32_t first, uint32_t count) {
  char file = first < agprRow ? 'v' : first < scalarRegister ? 'a' : 's';
  uint32_t index = first & (file == 's' ? 127 : 255);
  if (file == 's') {
    if (index == sgprVcc || index == sgprVcc + 1)
      return "vcc";
    if (index == sgprM0)
      return "m0";
  }
  std::string name(1, file), low = std::to_string(index);
  return count < 2 ? name + low
                   : name + "[" + low + ":" + std::to_string(index + count - 1) + "]";
}
