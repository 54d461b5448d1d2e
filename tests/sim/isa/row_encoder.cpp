// Layouts of the formats, most significant field first as in the ISA manuals.
#include "tests/sim/isa/row_encoder.h"

#include <initializer_list>

namespace hipsim::test {
namespace {

constexpr uint32_t vgprCode = 256;

std::vector<uint8_t> bytes(std::initializer_list<uint32_t> words) {
  std::vector<uint8_t> result;
  for (uint32_t word : words)
    for (unsigned i = 0; i < 4; ++i)
      result.push_back(uint8_t(word >> 8 * i));
  return result;
}

/// `number` when the row has the operand, else 0.
uint32_t field(const Encoding &row, SlotRole role, uint32_t number) {
  return row.find(role) ? number : 0;
}

/// A 9-bit source: a vector register unless the row wants a scalar one.
uint32_t sourceField(const Encoding &row, SlotRole role, uint32_t number) {
  const OperandSlot *slot = row.find(role);
  if (!slot)
    return 0;
  return slot->registers == SlotRegisters::Scalar ? number : vgprCode + number;
}

std::vector<uint8_t> encodeScalar(const Encoding &row) {
  const uint32_t dst = field(row, SlotRole::Dst, 12), src0 = field(row, SlotRole::Src0, 16),
                 src1 = field(row, SlotRole::Src1, 32);
  const uint32_t imm = row.find(SlotRole::Imm16) ? 1 : 0;
  switch (row.format) {
  case Format::SOP1:
    return bytes({0xbe800000u | dst << 16 | uint32_t(row.opcode) << 8 | src0});
  case Format::SOP2:
    return bytes({0x80000000u | uint32_t(row.opcode) << 23 | dst << 16 | src1 << 8 | src0});
  case Format::SOPC:
    return bytes({0xbf000000u | uint32_t(row.opcode) << 16 | (imm ? 9 : src1) << 8 | src0});
  case Format::SOPK: {
    const uint32_t word = 0xb0000000u | uint32_t(row.opcode) << 23 | (dst | src0) << 16 | 0x1801;
    return row.find(SlotRole::Literal) ? bytes({word, 0x12345}) : bytes({word});
  }
  default:
    return bytes({0xbf800000u | uint32_t(row.opcode) << 16 | imm});
  }
}

std::vector<uint8_t> encodeScalarMemory(const Encoding &row) {
  const bool hasOffset = row.find(SlotRole::Offset);
  const uint32_t data = field(row, SlotRole::Dst, 12) | field(row, SlotRole::Data, 12);
  return bytes({0xc0000000u | uint32_t(row.opcode) << 18 | uint32_t(hasOffset) << 17 | data << 6 |
                    field(row, SlotRole::Src0, 40) / 2,
                hasOffset ? 0x40u : 0u});
}

std::vector<uint8_t> encodeShortVector(const Encoding &row) {
  const uint32_t dst = field(row, SlotRole::Dst, 8), src0 = sourceField(row, SlotRole::Src0, 16),
                 src1 = field(row, SlotRole::Src1, 32);
  uint32_t word = 0;
  switch (row.format) {
  case Format::VOP1:
    word = 0x7e000000u | dst << 17 | uint32_t(row.opcode) << 9 | src0;
    break;
  case Format::VOP2:
    word = uint32_t(row.opcode) << 25 | dst << 17 | src1 << 9 | src0;
    break;
  default:
    word = 0x7c000000u | uint32_t(row.opcode) << 17 | src1 << 9 | src0;
  }
  return row.find(SlotRole::Literal) ? bytes({word, 0x12345678}) : bytes({word});
}

std::vector<uint8_t> encodeLongVector(const Encoding &row) {
  const OperandSlot *dst = row.find(SlotRole::Dst);
  const uint32_t dstField = !dst ? 0 : dst->registers == SlotRegisters::Scalar ? 12 : 8;
  const uint32_t word1 = sourceField(row, SlotRole::Src0, 16) |
                         sourceField(row, SlotRole::Src1, 32) << 9 |
                         sourceField(row, SlotRole::Src2, 48) << 18;
  const uint32_t opcode = uint32_t(row.opcode) << 16;
  if (row.format == Format::VOP3P) // op_sel_hi is all ones by default.
    return bytes({0xd3804000u | opcode | dstField, word1 | 3u << 27});
  if (row.format == Format::VOP3)
    return bytes({0xd0000000u | opcode | (row.hasScalarDst2 ? 12u << 8 : 0) | dstField, word1});
  if (!row.scaled)
    return bytes({0xd3800000u | opcode | dstField, word1});
  // The prefix names the scale registers; bit 11 marks its second half.
  return bytes({0xd3ac0000u, (vgprCode + 24) | (vgprCode + 36) << 9, 0xd3800800u | opcode | dstField, word1});
}

std::vector<uint8_t> encodeMemory(const Encoding &row) {
  const uint32_t dst = field(row, SlotRole::Dst, 8), addr = field(row, SlotRole::Vaddr, 20),
                 data = field(row, SlotRole::Data, 24), data1 = field(row, SlotRole::Data1, 36);
  const uint32_t opcode = uint32_t(row.opcode);
  if (row.format == Format::DS)
    return bytes({0xd8000000u | opcode << 17 | uint32_t(row.needsGds) << 16,
                  dst << 24 | data1 << 16 | data << 8 | addr});
  if (row.format == Format::MUBUF) {
    if (!row.slotCount)
      return bytes({0xe0000000u | opcode << 18, 0});
    constexpr uint32_t offen = 1u << 12, soffset = 44u << 24, srsrc = 40u / 4 << 16;
    return bytes({0xe0000000u | opcode << 18 | offen | 0x123, soffset | srsrc | (dst | data) << 8 | addr});
  }
  const bool isScratch = row.format == Format::SCRATCH;
  const uint32_t segment = row.format == Format::FLAT ? 0 : isScratch ? 1 : 2;
  const uint32_t usesVaddr = isScratch ? 1u << 13 : 0, noSaddr = segment ? 0x7fu << 16 : 0;
  return bytes({0xdc000000u | opcode << 18 | segment << 14 | usesVaddr | 0x123, dst << 24 | noSaddr | data << 8 | addr});
}

} // namespace

std::vector<uint8_t> encodeRow(const Encoding &row) {
  switch (row.format) {
  case Format::SOP1: case Format::SOP2: case Format::SOPC:
  case Format::SOPK: case Format::SOPP:
    return encodeScalar(row);
  case Format::SMEM:
    return encodeScalarMemory(row);
  case Format::VOP1: case Format::VOP2: case Format::VOPC:
    return encodeShortVector(row);
  case Format::VOP3: case Format::VOP3P: case Format::MFMA:
    return encodeLongVector(row);
  default:
    return encodeMemory(row);
  }
}

} // namespace hipsim::test
