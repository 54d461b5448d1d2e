// Decoders of the scalar formats: SOP1, SOP2, SOPC, SOPK, SOPP and SMEM.
#include "runtime/hipsim/isa/decoder_fields.h"

namespace hipsim::decoder {

bool decodeScalar(Context &context) {
  const uint32_t word = context.word0;
  const Encoding &encoding = *context.encoding;
  Instruction &out = context.out;
  const bool isSopk = encoding.format == Format::SOPK;
  if (isSopk || encoding.format == Format::SOPP)
    out.imm = signExtend(bits(word, 0, 16), 16);
  for (unsigned i = 0; i < encoding.slotCount; ++i) {
    const OperandSlot &slot = encoding.slots[i];
    bool valid = true;
    switch (slot.role) {
    case SlotRole::Dst:
      valid = sgpr(bits(word, 16, 7), slot.dwords, out.dst);
      break;
    case SlotRole::Src0: // SOPK keeps the register it reads in the sdst field.
      valid = isSopk ? sgpr(bits(word, 16, 7), slot.dwords, out.src[0])
                     : source(context, bits(word, 0, 8), slot, true, out.src[0]);
      break;
    case SlotRole::Src1:
      valid = source(context, bits(word, 8, 8), slot, true, out.src[1]);
      break;
    case SlotRole::Literal:
      valid = literal(context, out.src[0]);
      break;
    case SlotRole::Imm16:
      if (encoding.format == Format::SOPC) // s_set_gpr_idx_on: mode bits.
        out.imm = int32_t(bits(word, 8, 8));
      break;
    default:
      return false;
    }
    if (!valid)
      return false;
  }
  return true;
}

static bool scalarOffset(Context &context) {
  const bool hasImm = bits(context.word0, 17, 1);
  const bool hasRegister = bits(context.word0, 14, 1);
  Instruction &out = context.out;
  if (hasImm)
    out.offset = signExtend(bits(context.word1, 0, 21), 21);
  if (hasRegister)
    return sgpr(bits(context.word1, 25, 7), 1, out.src[1]);
  if (!hasImm) // The register number is in the offset field.
    return sgpr(bits(context.word1, 0, 7), 1, out.src[1]);
  return true;
}

bool decodeScalarMemory(Context &context) {
  Instruction &out = context.out;
  const Encoding &encoding = *context.encoding;
  const unsigned data = bits(context.word0, 6, 7);
  out.sc0 = bits(context.word0, 16, 1);
  for (unsigned i = 0; i < encoding.slotCount; ++i) {
    const OperandSlot &slot = encoding.slots[i];
    bool valid = true;
    switch (slot.role) {
    case SlotRole::Dst:
      valid = sgpr(data, slot.dwords, out.dst);
      break;
    case SlotRole::Data:
      valid = sgpr(data, slot.dwords, out.data);
      break;
    case SlotRole::Src0:
      valid = sgpr(bits(context.word0, 0, 6) * 2, slot.dwords, out.src[0]);
      break;
    case SlotRole::Imm16: // s_atc_probe: a permission mask in the data field.
      out.imm = int32_t(data);
      break;
    case SlotRole::Offset:
      valid = scalarOffset(context);
      break;
    default:
      return false;
    }
    if (!valid)
      return false;
  }
  return true;
}

} // namespace hipsim::decoder
