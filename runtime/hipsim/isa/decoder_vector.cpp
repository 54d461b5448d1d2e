// Decoders of the vector ALU formats: VOP1, VOP2 and VOPC with their SDWA and
// DPP forms, VOP3 and VOP3P.
#include "runtime/hipsim/isa/decoder_fields.h"

namespace hipsim::decoder {
namespace {

/// Places the implicit vcc of a short encoding: the carry out or compare result
/// when it comes before the sources, else the carry in.
void placeVcc(bool sourcesSeen, Instruction &out) {
  (sourcesSeen ? out.src[2] : out.dst2) = vccOperand();
}

/// SDWA's register fields are 8 bits wide with a bit that says scalar.
bool sdwaSource(Context &context, unsigned field, bool scalar,
                const OperandSlot &slot, Operand &out) {
  return source(context, scalar ? field : field + firstVgpr, slot, false, out);
}

void sdwaModifiers(uint32_t word, unsigned low, Operand &operand) {
  operand.sel = uint8_t(bits(word, low, 3));
  operand.sext = bits(word, low + 3, 1);
  operand.neg = bits(word, low + 4, 1);
  operand.abs = bits(word, low + 5, 1);
}

/// The SDWA dword, after the operands' registers have been read.
bool decodeSdwa(Context &context) {
  const uint32_t word = context.word1;
  Instruction &out = context.out;
  constexpr unsigned reservedSel = 7, reservedUnused = 3;
  out.sdwa = true;
  sdwaModifiers(word, 16, out.src[0]);
  if (out.src[0].sel == reservedSel)
    return false;
  if (context.encoding->find(SlotRole::Src1)) {
    sdwaModifiers(word, 24, out.src[1]);
    if (out.src[1].sel == reservedSel)
      return false;
  }
  if (out.format == Format::VOPC) {
    if (bits(word, 15, 1))
      return sgpr(bits(word, 8, 7), 2, out.dst2);
    return true;
  }
  out.clamp = bits(word, 13, 1);
  out.omod = uint8_t(bits(word, 14, 2));
  if (context.encoding->sdwaSourceOnly)
    return true;
  out.dstSel = uint8_t(bits(word, 8, 3));
  out.dstUnused = uint8_t(bits(word, 11, 2));
  return out.dstSel != reservedSel && out.dstUnused != reservedUnused;
}

bool isDppControl(unsigned control) {
  const auto shifts = [&](unsigned base) { return control > base && control < base + 16; };
  return control <= 0xff || shifts(0x100) || shifts(0x110) || shifts(0x120) ||
         control == 0x130 || control == 0x134 || control == 0x138 ||
         control == 0x13c || (control >= 0x140 && control <= 0x143) ||
         (control >= 0x150 && control <= 0x15f);
}

bool decodeDpp(Context &context) {
  const uint32_t word = context.word1;
  Instruction &out = context.out;
  out.dpp = DppKind::Dpp16;
  out.dppCtrl = uint16_t(bits(word, 8, 9));
  out.boundCtrl = bits(word, 19, 1);
  out.src[0].neg = bits(word, 20, 1);
  out.src[0].abs = bits(word, 21, 1);
  if (out.src[1].kind != OperandKind::None) {
    out.src[1].neg = bits(word, 22, 1);
    out.src[1].abs = bits(word, 23, 1);
  }
  out.bankMask = uint8_t(bits(word, 24, 4));
  out.rowMask = uint8_t(bits(word, 28, 4));
  return isDppControl(out.dppCtrl);
}

} // namespace

bool decodeShortVector(Context &context) {
  const uint32_t word = context.word0;
  const Encoding &encoding = *context.encoding;
  Instruction &out = context.out;
  const unsigned src0 = bits(word, 0, 9);
  const bool isSdwa = src0 == sdwaMarker && encoding.hasSdwa;
  const bool isDpp = src0 == dppMarker && encoding.hasDpp;
  if ((isSdwa || isDpp) && !context.hasWord1)
    return false;
  bool sourcesSeen = false;
  for (unsigned i = 0; i < encoding.slotCount; ++i) {
    const OperandSlot &slot = encoding.slots[i];
    bool valid = true;
    switch (slot.role) {
    case SlotRole::Dst: {
      const unsigned index = bits(word, 17, 8);
      valid = slot.registers == SlotRegisters::Scalar ? sgpr(index, slot.dwords, out.dst)
              : slot.registers == SlotRegisters::Accumulation
                  ? agpr(index, slot.dwords, out.dst)
                  : vgpr(index, slot.dwords, out.dst);
      break;
    }
    case SlotRole::Src0:
      sourcesSeen = true;
      valid = isSdwa ? sdwaSource(context, bits(context.word1, 0, 8),
                                  bits(context.word1, 23, 1), slot, out.src[0])
              : isDpp ? vgpr(bits(context.word1, 0, 8), slot.dwords, out.src[0])
                      : source(context, src0, slot, true, out.src[0]);
      break;
    case SlotRole::Src1: {
      // v_fmamk: the register stands after the literal in the formula.
      Operand &target = out.src[1].kind == OperandKind::None ? out.src[1] : out.src[2];
      const unsigned index = bits(word, 9, 8);
      valid = isSdwa ? sdwaSource(context, index, bits(context.word1, 31, 1), slot, target)
                     : vgpr(index, slot.dwords, target);
      break;
    }
    case SlotRole::Literal:
      valid = literal(context, out.src[1].kind == OperandKind::None ? out.src[1] : out.src[2]);
      break;
    case SlotRole::ImplicitVcc:
      placeVcc(sourcesSeen, out);
      break;
    default:
      return false;
    }
    if (!valid)
      return false;
  }
  if (isSdwa || isDpp)
    out.size = 8;
  return isSdwa ? decodeSdwa(context) : isDpp ? decodeDpp(context) : true;
}

namespace {

bool isTruthTable(Op op) { return op == Op::V_BITOP3_B32 || op == Op::V_BITOP3_B16; }

bool isMix(Op op) {
  return op == Op::V_FMA_MIX_F32 || op == Op::V_FMA_MIXLO_F16 ||
         op == Op::V_FMA_MIXHI_F16;
}

void longModifiers(Context &context) {
  Instruction &out = context.out;
  const unsigned abs = bits(context.word0, 8, 3), neg = bits(context.word1, 29, 3);
  const unsigned omod = bits(context.word1, 27, 2);
  out.clamp = bits(context.word0, 15, 1);
  if (isTruthTable(out.op)) { // The table takes the place of the modifiers.
    out.imm = int32_t(omod << 6 | abs << 3 | neg);
    out.opSel = uint8_t(bits(context.word0, 11, 4));
    return;
  }
  out.omod = uint8_t(omod);
  for (unsigned i = 0; i < 3; ++i) {
    if (out.src[i].kind == OperandKind::None)
      continue;
    out.src[i].neg = neg >> i & 1;
    if (!context.encoding->hasScalarDst2)
      out.src[i].abs = abs >> i & 1;
  }
  if (!context.encoding->hasScalarDst2)
    out.opSel = uint8_t(bits(context.word0, 11, 4));
}

void packedModifiers(Context &context) {
  Instruction &out = context.out;
  out.opSel = uint8_t(bits(context.word0, 11, 3));
  out.opSelHi = uint8_t(bits(context.word1, 27, 2) | bits(context.word0, 14, 1) << 2);
  out.clamp = bits(context.word0, 15, 1);
  out.negHi = uint8_t(bits(context.word0, 8, 3));
  out.negLo = uint8_t(bits(context.word1, 29, 3));
  if (!isMix(out.op))
    return;
  for (unsigned i = 0; i < 3; ++i) { // The same bits, another meaning.
    out.src[i].neg = out.negLo >> i & 1;
    out.src[i].abs = out.negHi >> i & 1;
  }
  out.negLo = out.negHi = 0;
}

bool longDestination(Context &context, const OperandSlot &slot) {
  Instruction &out = context.out;
  const unsigned index = bits(context.word0, 0, 8);
  if (slot.registers != SlotRegisters::Scalar)
    return vgpr(index, slot.dwords, out.dst);
  // A compare writes a mask; v_readlane a value.
  return sgpr(index, slot.dwords, slot.dwords == 2 ? out.dst2 : out.dst);
}

} // namespace

bool decodeLongVector(Context &context) {
  const Encoding &encoding = *context.encoding;
  Instruction &out = context.out;
  for (unsigned i = 0; i < encoding.slotCount; ++i) {
    const OperandSlot &slot = encoding.slots[i];
    bool valid = true;
    switch (slot.role) {
    case SlotRole::Dst:
      valid = longDestination(context, slot);
      break;
    case SlotRole::Dst2:
      valid = sgpr(bits(context.word0, 8, 7), slot.dwords, out.dst2);
      break;
    case SlotRole::Src0:
      valid = source(context, bits(context.word1, 0, 9), slot, false, out.src[0]);
      break;
    case SlotRole::Src1:
      valid = source(context, bits(context.word1, 9, 9), slot, false, out.src[1]);
      break;
    case SlotRole::Src2:
      valid = source(context, bits(context.word1, 18, 9), slot, false, out.src[2]);
      break;
    default:
      return false;
    }
    if (!valid)
      return false;
  }
  if (out.format == Format::VOP3P)
    packedModifiers(context);
  else
    longModifiers(context);
  return true;
}

} // namespace hipsim::decoder
