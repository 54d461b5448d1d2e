// decode(): classifies an instruction by its top bits, finds its row and hands
// it to the decoder of its format; with the operand readers all formats share.
//
// The table decides what exists; nothing here guesses. It must not crash on
// any bytes: the text may be data.
#include "runtime/hipsim/isa/decoder_fields.h"

#include <cstdio>
#include <cstring>

namespace hipsim {
namespace decoder {

bool Context::word(unsigned index, uint32_t &value) const {
  const uint64_t offset = uint64_t(pc) + 4u * index;
  if (offset + 4 > size)
    return false;
  std::memcpy(&value, text + offset, 4);
  return true;
}

static bool registers(OperandKind kind, unsigned index, unsigned dwords,
                      Operand &out) {
  // Both architectures want tuples of vector registers to start even.
  if (index + dwords > 256 || (dwords > 1 && index % 2 != 0))
    return false;
  out.kind = kind;
  out.index = uint16_t(index);
  out.dwords = uint8_t(dwords);
  return true;
}

bool vgpr(unsigned index, unsigned dwords, Operand &out) {
  return registers(OperandKind::Vgpr, index, dwords, out);
}

bool agpr(unsigned index, unsigned dwords, Operand &out) {
  return registers(OperandKind::Agpr, index, dwords, out);
}

bool sgpr(unsigned index, unsigned dwords, Operand &out) {
  const unsigned alignment = dwords >= 4 ? 4 : dwords;
  if (index % alignment != 0 || index == 125 || index > exec + 1)
    return false;
  // s0..s101, then pairs with names, then the trap handler's sixteen.
  const bool fits = index <= 101 ? index + dwords <= 102
                    : index < firstTrap || index >= m0
                        ? dwords <= 2 && (index != m0 || dwords == 1)
                        : index + dwords <= lastTrap + 1;
  if (!fits)
    return false;
  out.kind = OperandKind::Sgpr;
  out.index = uint16_t(index);
  out.dwords = uint8_t(dwords);
  return true;
}

Operand vccOperand() {
  Operand operand;
  operand.kind = OperandKind::Sgpr;
  operand.index = vcc;
  operand.dwords = 2;
  return operand;
}

bool literal(Context &context, Operand &out) {
  if (!context.hasWord1)
    return false;
  out.kind = OperandKind::Const;
  out.code = literalMarker;
  out.value = context.word1;
  context.usesLiteral = true;
  return true;
}

static uint32_t inlineConstant(unsigned code) {
  static constexpr uint32_t floats[] = {
      0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, // +-0.5, +-1
      0x40000000, 0xc0000000, 0x40800000, 0xc0800000, // +-2, +-4
      0x3e22f983,                                     // 1 / (2 pi)
  };
  if (code >= firstFloat)
    return floats[code - firstFloat];
  return code <= 192 ? code - firstInteger : uint32_t(192 - int(code));
}

bool source(Context &context, unsigned code, const OperandSlot &slot,
            bool allowLiteral, Operand &out) {
  if (code >= firstVgpr) {
    if (slot.registers == SlotRegisters::Scalar)
      return false;
    const unsigned index = code - firstVgpr;
    return slot.registers == SlotRegisters::Accumulation
               ? agpr(index, slot.dwords, out)
               : vgpr(index, slot.dwords, out);
  }
  if (slot.registers == SlotRegisters::Vector ||
      slot.registers == SlotRegisters::Accumulation)
    return false;
  if (code < firstInteger)
    return sgpr(code, slot.dwords, out);
  out.dwords = slot.dwords;
  if (code <= lastInteger || (code >= firstFloat && code <= lastFloat)) {
    out.kind = OperandKind::Const;
    out.code = uint16_t(code);
    out.value = inlineConstant(code);
    return true;
  }
  if (code == literalMarker)
    return allowLiteral && literal(context, out);
  if ((code >= firstSpecial && code <= lastAperture) ||
      (code >= vccz && code <= scc)) {
    out.kind = OperandKind::Special;
    out.index = uint16_t(code);
    return true;
  }
  return false;
}

namespace {

using FormatDecoder = bool (*)(Context &);

/// Where a format's encodings live: word0 & mask == value, opcode bits below.
struct FormatRange {
  Format format;
  uint32_t mask, value;
  uint8_t opcodeLow, opcodeBits;
  bool twoWords;
  FormatDecoder decode;
};

// The first match wins: SOP1, SOPC and SOPP lie within SOPK's range, which
// lies within SOP2's; VOPC and VOP1 within VOP2's; VOP3P within VOP3's.
constexpr FormatRange formatRanges[] = {
    {Format::SOP1, 0xff800000, 0xbe800000, 8, 8, false, decodeScalar},
    {Format::SOPC, 0xff800000, 0xbf000000, 16, 7, false, decodeScalar},
    {Format::SOPP, 0xff800000, 0xbf800000, 16, 7, false, decodeScalar},
    {Format::SOPK, 0xf0000000, 0xb0000000, 23, 5, false, decodeScalar},
    {Format::SOP2, 0xc0000000, 0x80000000, 23, 7, false, decodeScalar},
    {Format::VOPC, 0xfe000000, 0x7c000000, 17, 8, false, decodeShortVector},
    {Format::VOP1, 0xfe000000, 0x7e000000, 9, 8, false, decodeShortVector},
    {Format::VOP2, 0x80000000, 0x00000000, 25, 6, false, decodeShortVector},
    {Format::SMEM, 0xfc000000, 0xc0000000, 18, 8, true, decodeScalarMemory},
    {Format::MFMA, 0xff800000, 0xd3800000, 16, 7, true, decodeMatrix},
    {Format::VOP3P, 0xff800000, 0xd3800000, 16, 7, true, decodeLongVector},
    {Format::VOP3, 0xfc000000, 0xd0000000, 16, 10, true, decodeLongVector},
    {Format::DS, 0xfc000000, 0xd8000000, 17, 8, true, decodeDataShare},
    {Format::MUBUF, 0xfc000000, 0xe0000000, 18, 7, true, decodeBuffer},
    {Format::FLAT, 0xfc00c000, 0xdc000000, 18, 7, true, decodeFlat},
    {Format::SCRATCH, 0xfc00c000, 0xdc004000, 18, 7, true, decodeFlat},
    {Format::GLOBAL, 0xfc00c000, 0xdc008000, 18, 7, true, decodeFlat},
};

// v_mfma_ld_scale_b32, the first half of a 16-byte scaled MFMA.
constexpr uint32_t scalePrefixMask = 0xffff0000, scalePrefix = 0xd3ac0000;

bool decodeScaledMatrix(Context &context) {
  uint32_t word2 = 0, word3 = 0;
  if (context.arch != Arch::Gfx950 || !context.word(2, word2) ||
      !context.word(3, word3) || (word2 & 0xff800000) != 0xd3800000)
    return false;
  context.encoding = findEncoding(context.arch, Format::MFMA,
                                  bits(word2, 16, 7), /*scaled=*/true);
  return context.encoding && decodeMatrix(context);
}

bool decodeAny(Context &context) {
  if (!context.word(0, context.word0))
    return false;
  context.hasWord1 = context.word(1, context.word1);
  if ((context.word0 & scalePrefixMask) == scalePrefix)
    return decodeScaledMatrix(context);
  for (const FormatRange &range : formatRanges) {
    if ((context.word0 & range.mask) != range.value)
      continue;
    const unsigned opcode = bits(context.word0, range.opcodeLow, range.opcodeBits);
    context.encoding = findEncoding(context.arch, range.format, opcode);
    if (!context.encoding) {
      if (range.format == Format::MFMA)
        continue; // The packed operations share the range.
      return false;
    }
    if (range.twoWords && !context.hasWord1)
      return false;
    context.out.op = context.encoding->op;
    context.out.format = range.format;
    context.out.size = range.twoWords ? 8 : 4;
    if (!range.decode(context))
      return false;
    if (context.usesLiteral)
      context.out.size = 8;
    return true;
  }
  return false;
}

std::string describeFailure(const Context &context) {
  char text[160];
  const char *arch = context.arch == Arch::Gfx942 ? "gfx942" : "gfx950";
  if (uint64_t(context.pc) + 4 > context.size)
    std::snprintf(text, sizeof text,
                  ".text ends at byte 0x%zx, expected an instruction at 0x%x",
                  context.size, context.pc);
  else if (context.hasWord1)
    std::snprintf(text, sizeof text,
                  ".text+0x%x: 0x%08x 0x%08x is not an instruction of %s that "
                  "the simulator knows",
                  context.pc, context.word0, context.word1, arch);
  else
    std::snprintf(text, sizeof text,
                  ".text+0x%x: 0x%08x is not an instruction of %s that the "
                  "simulator knows, or it continues past the end of .text",
                  context.pc, context.word0, arch);
  return text;
}

} // namespace
} // namespace decoder

bool decode(Arch arch, const uint8_t *text, size_t size, uint32_t pc,
            Instruction &out, std::string &error) {
  out = Instruction();
  out.pc = pc;
  decoder::Context context{.arch = arch, .text = text, .size = size, .pc = pc, .out = out};
  if (decoder::decodeAny(context))
    return true;
  error = decoder::describeFailure(context);
  out = Instruction();
  out.pc = pc;
  return false;
}

} // namespace hipsim
