// Decoder of the matrix format (VOP3P-MAI), with the scale prefix of gfx950.
#include "runtime/hipsim/isa/decoder_fields.h"

namespace hipsim::decoder {
namespace {

/// Dwords a lane holds of a 32-element operand of the f8f6f4 operations, by
/// the format in cbsz or blgp: fp8, bf8, fp6, bf6, fp4. 0: no such format.
constexpr uint8_t f8f6f4Dwords[8] = {8, 8, 6, 6, 4, 0, 0, 0};

bool choosesFormats(Op op) {
  return op == Op::V_MFMA_F32_16X16X128_F8F6F4 ||
         op == Op::V_MFMA_F32_32X32X64_F8F6F4 ||
         op == Op::V_MFMA_SCALE_F32_16X16X128_F8F6F4 ||
         op == Op::V_MFMA_SCALE_F32_32X32X64_F8F6F4;
}

bool movesAccumulation(Op op) {
  return op == Op::V_ACCVGPR_READ_B32 || op == Op::V_ACCVGPR_WRITE_B32;
}

struct MatrixWords {
  uint32_t word0, word1;
};

/// Operands live in vector registers unless the acc bit moves them.
bool matrixSource(Context &context, unsigned code, OperandSlot slot,
                  bool accumulation, Operand &out) {
  if (accumulation && code >= firstVgpr)
    slot.registers = SlotRegisters::Accumulation;
  return source(context, code, slot, false, out);
}

bool matrixOperand(Context &context, MatrixWords words, OperandSlot slot) {
  Instruction &out = context.out;
  // v_accvgpr_* fix the kind of each register; the bits say nothing.
  const bool hasAccBits = !movesAccumulation(out.op);
  const bool accumulates = hasAccBits && bits(words.word0, 15, 1);
  switch (slot.role) {
  case SlotRole::Dst:
    return accumulates || slot.registers == SlotRegisters::Accumulation
               ? agpr(bits(words.word0, 0, 8), slot.dwords, out.dst)
               : vgpr(bits(words.word0, 0, 8), slot.dwords, out.dst);
  case SlotRole::Src0:
    if (choosesFormats(out.op))
      slot.dwords = f8f6f4Dwords[out.cbsz];
    return slot.dwords &&
           matrixSource(context, bits(words.word1, 0, 9), slot,
                        hasAccBits && bits(words.word1, 27, 1), out.src[0]);
  case SlotRole::Src1:
    if (choosesFormats(out.op))
      slot.dwords = f8f6f4Dwords[out.blgp];
    return slot.dwords &&
           matrixSource(context, bits(words.word1, 9, 9), slot,
                        hasAccBits && bits(words.word1, 28, 1), out.src[1]);
  case SlotRole::Src2:
    // The index of v_smfmac is never an accumulation register.
    return matrixSource(context, bits(words.word1, 18, 9), slot,
                        accumulates && slot.registers != SlotRegisters::Vector,
                        out.src[2]);
  default:
    return false;
  }
}

bool decodeScales(Context &context) {
  Instruction &out = context.out;
  const OperandSlot slot{SlotRole::Src0, 1};
  out.opSel = uint8_t(bits(context.word0, 11, 2));
  out.opSelHi = uint8_t(bits(context.word1, 27, 2));
  return source(context, bits(context.word1, 0, 9), slot, false, out.scale[0]) &&
         source(context, bits(context.word1, 9, 9), slot, false, out.scale[1]);
}

} // namespace

bool decodeMatrix(Context &context) {
  const Encoding &encoding = *context.encoding;
  Instruction &out = context.out;
  out.op = encoding.op;
  out.format = Format::MFMA;
  MatrixWords words{context.word0, context.word1};
  if (encoding.scaled) {
    out.size = 16;
    if (!context.word(2, words.word0) || !context.word(3, words.word1) ||
        !decodeScales(context))
      return false;
  } else {
    out.size = 8;
  }
  if (!movesAccumulation(out.op)) {
    out.cbsz = uint8_t(bits(words.word0, 8, 3));
    out.abid = encoding.scaled ? 0 : uint8_t(bits(words.word0, 11, 4));
    out.blgp = uint8_t(bits(words.word1, 29, 3));
  }
  for (unsigned i = 0; i < encoding.slotCount; ++i)
    if (!matrixOperand(context, words, encoding.slots[i]))
      return false;
  return true;
}

} // namespace hipsim::decoder
