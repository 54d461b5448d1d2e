// Resolving operands; see prepare.h.
#include "runtime/hipsim/exec/prepare.h"

#include <bit>

using namespace hipsim;

namespace {

/// Inline float constants by source code - 240.
struct FloatConstant {
  uint16_t half;
  double value;
};
constexpr FloatConstant floatConstants[] = {
    {0x3800, 0.5},  {0xb800, -0.5}, {0x3c00, 1.0},
    {0xbc00, -1.0}, {0x4000, 2.0},  {0xc000, -2.0},
    {0x4400, 4.0},  {0xc400, -4.0}, {0x3118, 0.15915494309189532},
};
constexpr uint16_t literalCode = 255, firstFloat = 240, lastFloat = 248;

bool isVectorFormat(Format format) {
  switch (format) {
  case Format::VOP1: case Format::VOP2: case Format::VOPC: case Format::VOP3:
  case Format::VOP3P: case Format::MFMA:
    return true;
  default:
    return false;
  }
}

uint16_t rowOf(const Operand &o) {
  return uint16_t(o.kind == OperandKind::Agpr ? agprRow + o.index : o.index);
}

void prepareSource(Source &out, const Operand &o, ValueType type, bool vector,
                   const std::function<const Row *(uint64_t)> &constantRows) {
  out.neg = o.neg;
  out.abs = o.abs;
  out.index = o.index;
  switch (o.kind) {
  case OperandKind::None: out.kind = SourceKind::None; break;
  case OperandKind::Vgpr:
  case OperandKind::Agpr:
    out.kind = SourceKind::Row;
    out.index = rowOf(o);
    break;
  case OperandKind::Sgpr: out.kind = SourceKind::Scalar; break;
  case OperandKind::Special: out.kind = SourceKind::Special; break;
  case OperandKind::Const:
    out.kind = SourceKind::Constant;
    out.value = widenConstant(o, type);
    if (vector)
      out.row = constantRows(out.value);
    break;
  }
}

} // namespace

uint64_t hipsim::widenConstant(const Operand &o, ValueType type) {
  bool isFloat = o.code >= firstFloat && o.code <= lastFloat;
  bool literal = o.code == literalCode;
  const FloatConstant &f = floatConstants[isFloat ? o.code - firstFloat : 0];
  int64_t extended = int32_t(o.value);
  switch (type) {
  case ValueType::B32:
    return o.value;
  case ValueType::F64:
    // A literal is the high half of the number.
    return isFloat  ? std::bit_cast<uint64_t>(f.value)
           : literal ? uint64_t(o.value) << 32
                     : uint64_t(extended);
  case ValueType::I64:
    return isFloat ? std::bit_cast<uint64_t>(f.value) : uint64_t(extended);
  case ValueType::U64:
    return isFloat  ? std::bit_cast<uint64_t>(f.value)
           : literal ? o.value
                     : uint64_t(extended);
  case ValueType::F16:
  case ValueType::B16:
    return isFloat ? f.half : o.value & 0xffff;
  case ValueType::PackedF16:
    return isFloat ? f.half : o.value;
  case ValueType::F32x2:
    return o.value; // The constant is the low element; the high one is zero.
  }
  return o.value;
}

std::string
hipsim::prepareStep(Step &step, const OperationTable &table,
                    const std::function<const Row *(uint64_t)> &constantRows,
                    bool floatModes) {
  const Instruction &in = *step.instruction;
  const Operation &operation = table[in.op];
  if (in.op == Op::Invalid || !operation.handler)
    return std::string(mnemonic(in.op)) +
           " is not implemented by the simulator";
  step.handler = operation.handler;
  step.stepClass = operation.stepClass;
  step.opSel = in.opSel;
  step.dst = in.dst.kind == OperandKind::Sgpr ? in.dst.index : rowOf(in.dst);
  step.dst2 = in.dst2.index;

  if (in.omod)
    return "an output multiplier (omod), which hardware ignores with denormals "
           "on";
  if (in.clamp) {
    if (operation.clampHandler)
      step.handler = operation.clampHandler;
    else if (!operation.floatResult)
      return std::string("the clamp bit on ") + mnemonic(in.op) +
             " is not implemented by the simulator";
    step.outputModifiers = true;
  }
  bool vector = isVectorFormat(in.format);
  for (int i = 0; i < 3; ++i)
    prepareSource(step.src[i], in.src[i], operation.type[i], vector,
                  constantRows);
  if (operation.accumulates && step.src[2].kind == SourceKind::None) {
    step.src[2].kind = SourceKind::Row;
    step.src[2].index = step.dst;
  }
  if (floatModes && table.needsFloatMode(in.op, operation)) {
    step.operation = &operation;
    step.handler = table.floatMode; // Inside SDWA and DPP.
  }
  if (in.sdwa) {
    step.inner = step.handler;
    step.handler = table.sdwa;
  } else if (in.dpp == DppKind::Dpp16) {
    step.inner = step.handler;
    step.handler = table.dpp;
  } else if (in.dpp != DppKind::None) {
    return "DPP8 is not an encoding of this architecture";
  }
  return {};
}

bool hipsim::dppSourceLanes(const Instruction &in, Row &out) {
  uint32_t control = in.dppCtrl, amount = control & 15;
  constexpr uint32_t none = laneCount;
  for (uint32_t l = 0; l < laneCount; ++l) {
    uint32_t row = l & ~15u, i = l & 15, from = none;
    if (control <= 0xff)
      from = (l & ~3u) | (control >> (2 * (l & 3)) & 3);
    else if (control > 0x100 && control <= 0x10f) // row_shl
      from = i + amount < 16 ? l + amount : none;
    else if (control > 0x110 && control <= 0x11f) // row_shr
      from = i >= amount ? l - amount : none;
    else if (control > 0x120 && control <= 0x12f) // row_ror
      from = row | ((i - amount) & 15);
    else if (control == 0x130) // wave_shl:1
      from = l + 1;
    else if (control == 0x134) // wave_rol:1
      from = (l + 1) % laneCount;
    else if (control == 0x138) // wave_shr:1
      from = l ? l - 1 : none;
    else if (control == 0x13c) // wave_ror:1
      from = (l + laneCount - 1) % laneCount;
    else if (control == 0x140) // row_mirror
      from = row | (15 - i);
    else if (control == 0x141) // row_half_mirror
      from = (l & ~7u) | (7 - (l & 7));
    else if (control == 0x142) // row_bcast:15
      from = row ? row - 1 : none;
    else if (control == 0x143) // row_bcast:31
      from = l >= 32 ? 31 : none;
    else if (control >= 0x150 && control <= 0x15f) // row_newbcast
      from = row | amount;
    else
      return false;
    out.lane[l] = from;
  }
  return true;
}
