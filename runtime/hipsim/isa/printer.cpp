// print(): the text of an instruction in LLVM's syntax, driven by its row.
#include "runtime/hipsim/isa/printer_operands.h"

#include <cstdio>

namespace hipsim {
namespace printer {

std::string hexadecimal(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

static bool isInlineInteger(int64_t value) { return value >= -16 && value <= 64; }

std::string integer(int64_t value) {
  return isInlineInteger(value) ? std::to_string(value) : hexadecimal(uint32_t(value));
}

namespace {

std::string scalarRegister(unsigned index, unsigned dwords) {
  struct Named {
    unsigned index;
    const char *low, *high, *pair;
  };
  static constexpr Named named[] = {
      {102, "flat_scratch_lo", "flat_scratch_hi", "flat_scratch"},
      {104, "xnack_mask_lo", "xnack_mask_hi", "xnack_mask"},
      {106, "vcc_lo", "vcc_hi", "vcc"},
      {126, "exec_lo", "exec_hi", "exec"},
  };
  constexpr unsigned m0 = 124, firstTrap = 108;
  for (const Named &name : named) {
    if (index == name.index)
      return dwords == 2 ? name.pair : name.low;
    if (index == name.index + 1)
      return name.high;
  }
  if (index == m0)
    return "m0";
  const bool isTrap = index >= firstTrap;
  const std::string prefix = isTrap ? "ttmp" : "s";
  const unsigned first = isTrap ? index - firstTrap : index;
  if (dwords == 1)
    return prefix + std::to_string(first);
  return prefix + "[" + std::to_string(first) + ":" + std::to_string(first + dwords - 1) + "]";
}

std::string vectorRegister(char prefix, unsigned index, unsigned dwords) {
  const std::string first = std::to_string(index);
  if (dwords == 1)
    return prefix + first;
  return std::string(1, prefix) + "[" + first + ":" + std::to_string(index + dwords - 1) + "]";
}

const char *specialRegister(unsigned code) {
  switch (code) {
  case 235: return "src_shared_base";
  case 236: return "src_shared_limit";
  case 237: return "src_private_base";
  case 238: return "src_private_limit";
  case 239: return "src_pops_exiting_wave_id";
  case 251: return "src_vccz";
  case 252: return "src_execz";
  default: return "src_scc";
  }
}

constexpr unsigned firstFloat = 240, reciprocalTwoPi = 248, literalCode = 255;

/// Constants 240..248. A 16-bit integer slot shows the bits of the half.
std::string inlineFloat(unsigned code, SlotConstants constants) {
  static constexpr const char *names[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0",
                                          "-2.0", "4.0", "-4.0", "0.15915494"};
  static constexpr uint16_t halves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                        0xc000, 0x4400, 0xc400, 0x3118};
  if (constants == SlotConstants::Short)
    return hexadecimal(halves[code - firstFloat]);
  const bool is64 = constants == SlotConstants::Bits64 || constants == SlotConstants::Double;
  if (is64 && code == reciprocalTwoPi)
    return "0.15915494309189532";
  return names[code - firstFloat];
}

bool isInlineFloat32(uint32_t value) {
  switch (value) {
  case 0x3f000000: case 0xbf000000: case 0x3f800000: case 0xbf800000:
  case 0x40000000: case 0xc0000000: case 0x40800000: case 0xc0800000:
  case 0x3e22f983:
    return true;
  }
  return false;
}

bool isInlineHalf(uint16_t value) {
  switch (value) {
  case 0x3800: case 0xb800: case 0x3c00: case 0xbc00:
  case 0x4000: case 0xc000: case 0x4400: case 0xc400: case 0x3118:
    return true;
  }
  return false;
}

/// Whether the literal as the upper half of a double is an inline constant.
bool isInlineDoubleHigh(uint32_t value) {
  switch (value) {
  case 0: case 0x3fe00000: case 0xbfe00000: case 0x3ff00000: case 0xbff00000:
  case 0x40000000: case 0xc0000000: case 0x40100000: case 0xc0100000:
    return true;
  }
  return false;
}

/// lit(...) marks a literal whose value an inline constant could have given.
std::string literalText(uint32_t value, SlotConstants constants) {
  const int16_t low = int16_t(value);
  bool isInline = false;
  uint32_t shown = value;
  switch (constants) {
  case SlotConstants::Bits32:
    isInline = isInlineInteger(int32_t(value)) || isInlineFloat32(value);
    break;
  case SlotConstants::Bits64:
    isInline = isInlineInteger(int64_t(uint64_t(value)));
    break;
  case SlotConstants::Double:
    isInline = isInlineDoubleHigh(value);
    break;
  case SlotConstants::Half:
    isInline = isInlineInteger(low) || isInlineHalf(uint16_t(low));
    shown = isInline ? value : uint16_t(low);
    break;
  case SlotConstants::Short:
    isInline = isInlineInteger(low) || isInlineFloat32(value);
    shown = isInline ? value : uint16_t(low);
    break;
  }
  return isInline ? "lit(" + hexadecimal(shown) + ")" : hexadecimal(shown);
}

} // namespace

std::string operand(const Operand &operand, SlotConstants constants) {
  switch (operand.kind) {
  case OperandKind::Vgpr:
    return vectorRegister('v', operand.index, operand.dwords);
  case OperandKind::Agpr:
    return vectorRegister('a', operand.index, operand.dwords);
  case OperandKind::Sgpr:
    return scalarRegister(operand.index, operand.dwords);
  case OperandKind::Special:
    return specialRegister(operand.index);
  case OperandKind::None:
    return "off";
  case OperandKind::Const:
    break;
  }
  if (operand.code == literalCode)
    return literalText(operand.value, constants);
  if (operand.code >= firstFloat)
    return inlineFloat(operand.code, constants);
  return std::to_string(int32_t(operand.value));
}

std::string modifiedOperand(const Operand &value, SlotConstants constants) {
  std::string text = operand(value, constants);
  if (value.sext)
    return "sext(" + text + ")";
  if (value.abs)
    text = "|" + text + "|";
  if (!value.neg)
    return text;
  // -1 would read as the integer.
  return value.kind == OperandKind::Const && !value.abs ? "neg(" + text + ")" : "-" + text;
}

namespace {

class Line {
public:
  explicit Line(std::string mnemonic) : text(std::move(mnemonic)) {}

  void operand(const std::string &value) {
    text += hasOperands ? ", " : " ";
    text += value;
    hasOperands = true;
  }
  void modifier(const std::string &value) { text += " " + value; }
  void modifierIf(bool condition, const std::string &value) {
    if (condition)
      modifier(value);
  }
  /// "name:[1,0,0]" with one entry a bit, unless all equal the default.
  void bitList(const char *name, unsigned bits, unsigned count, unsigned defaults) {
    if (bits == defaults)
      return;
    std::string list;
    for (unsigned i = 0; i < count; ++i)
      list += std::string(i ? "," : "") + (bits >> i & 1 ? '1' : '0');
    modifier(std::string(name) + ":[" + list + "]");
  }
  std::string take() { return std::move(text); }

private:
  std::string text;
  bool hasOperands = false;
};

std::string suffix(const Instruction &instruction, const Encoding &encoding) {
  if (instruction.sdwa)
    return "_sdwa";
  if (instruction.dpp != DppKind::None)
    return "_dpp";
  if (!encoding.hasSuffix)
    return "";
  return instruction.format == Format::VOP3 ? "_e64" : "_e32";
}

void printSlot(const Instruction &in, const OperandSlot &slot, bool &sourcesSeen, Line &line) {
  const SlotConstants constants = slot.constants;
  switch (slot.role) {
  case SlotRole::Dst:
    line.operand(operand(in.dst.kind == OperandKind::None ? in.dst2 : in.dst, constants));
    return;
  case SlotRole::Dst2:
    line.operand(operand(in.dst2, constants));
    return;
  case SlotRole::Src0:
    sourcesSeen = true;
    line.operand(modifiedOperand(in.src[0], constants));
    return;
  case SlotRole::Src1: {
    const bool afterLiteral = in.src[1].kind == OperandKind::Const && in.format == Format::VOP2;
    line.operand(modifiedOperand(in.src[afterLiteral ? 2 : 1], constants));
    return;
  }
  case SlotRole::Src2:
    line.operand(modifiedOperand(in.src[2], constants));
    return;
  case SlotRole::ImplicitVcc:
    line.operand(operand(sourcesSeen ? in.src[2] : in.dst2, constants));
    return;
  case SlotRole::Imm16:
    if (in.format == Format::SMEM)
      line.operand(integer(in.imm));
    else
      line.operand(scalarImmediate(in));
    return;
  case SlotRole::Vaddr:
    line.operand(operand(in.vaddr, constants));
    return;
  case SlotRole::Data:
    line.operand(operand(in.data, constants));
    return;
  case SlotRole::Data1:
    line.operand(operand(in.data1, constants));
    return;
  case SlotRole::Base:
    line.operand(operand(in.saddr, constants));
    return;
  case SlotRole::Literal:
  case SlotRole::Offset:
    return; // Depends on the format.
  }
}

// --- vector ALU --------------------------------------------------------------

const char *selectName(unsigned sel) {
  static constexpr const char *names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                          "WORD_0", "WORD_1", "DWORD"};
  return sel < 7 ? names[sel] : "DWORD";
}

void printSdwa(const Instruction &in, const Encoding &encoding, Line &line) {
  static constexpr const char *unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  if (in.format != Format::VOPC && !encoding.sdwaSourceOnly) {
    line.modifier(std::string("dst_sel:") + selectName(in.dstSel));
    line.modifier(std::string("dst_unused:") + unused[in.dstUnused % 3]);
  }
  line.modifier(std::string("src0_sel:") + selectName(in.src[0].sel));
  if (encoding.find(SlotRole::Src1))
    line.modifier(std::string("src1_sel:") + selectName(in.src[1].sel));
}

std::string dppControl(unsigned control) {
  if (control <= 0xff) {
    std::string list;
    for (unsigned i = 0; i < 4; ++i)
      list += std::string(i ? "," : "") + std::to_string(control >> 2 * i & 3);
    return "quad_perm:[" + list + "]";
  }
  const std::string amount = std::to_string(control & 15);
  switch (control >> 4) {
  case 0x10: return "row_shl:" + amount;
  case 0x11: return "row_shr:" + amount;
  case 0x12: return "row_ror:" + amount;
  case 0x15: return "row_newbcast:" + amount;
  }
  switch (control) {
  case 0x130: return "wave_shl:1";
  case 0x134: return "wave_rol:1";
  case 0x138: return "wave_shr:1";
  case 0x13c: return "wave_ror:1";
  case 0x140: return "row_mirror";
  case 0x141: return "row_half_mirror";
  case 0x142: return "row_bcast:15";
  default: return "row_bcast:31";
  }
}

void printDpp(const Instruction &in, Line &line) {
  line.modifier(dppControl(in.dppCtrl));
  line.modifier("row_mask:" + hexadecimal(in.rowMask));
  line.modifier("bank_mask:" + hexadecimal(in.bankMask));
  line.modifierIf(in.boundCtrl, "bound_ctrl:1");
}

void printOutputModifiers(const Instruction &in, Line &line) {
  static constexpr const char *omods[] = {"", "mul:2", "mul:4", "div:2"};
  line.modifierIf(in.clamp, "clamp");
  line.modifierIf(in.omod != 0, omods[in.omod & 3]);
}

void printVector(const Instruction &in, const Encoding &encoding, Line &line) {
  const bool isTruthTable = in.op == Op::V_BITOP3_B32 || in.op == Op::V_BITOP3_B16;
  if (isTruthTable && in.imm)
    line.modifier("bitop3:" + (in.imm <= 10 ? std::to_string(in.imm) : hexadecimal(uint32_t(in.imm))));
  if (encoding.opSelCount) {
    const unsigned count = encoding.opSelCount; // The destination is bit 3.
    const unsigned shown = count == 4 ? in.opSel : (in.opSel & 3u) | (in.opSel >> 3 & 1u) << 2;
    line.bitList("op_sel", shown, count, 0);
  }
  printOutputModifiers(in, line);
  if (in.sdwa)
    printSdwa(in, encoding, line);
  if (in.dpp != DppKind::None)
    printDpp(in, line);
}

unsigned sourceCount(const Encoding &encoding) {
  unsigned count = 0;
  for (unsigned i = 0; i < encoding.slotCount; ++i)
    count += encoding.slots[i].role >= SlotRole::Src0 && encoding.slots[i].role <= SlotRole::Src2;
  return count;
}

bool isMix(Op op) {
  return op == Op::V_FMA_MIX_F32 || op == Op::V_FMA_MIXLO_F16 || op == Op::V_FMA_MIXHI_F16;
}

void printPacked(const Instruction &in, const Encoding &encoding, Line &line) {
  const unsigned count = sourceCount(encoding), mask = (1u << count) - 1;
  if (!encoding.lacksOpSel) {
    line.bitList("op_sel", in.opSel & mask, count, 0);
    line.bitList("op_sel_hi", in.opSelHi & mask, count, isMix(in.op) ? 0 : mask);
  }
  line.bitList("neg_lo", in.negLo & mask, count, 0);
  line.bitList("neg_hi", in.negHi & mask, count, 0);
  line.modifierIf(in.clamp, "clamp");
}

void printMatrix(const Instruction &in, const Encoding &encoding, Line &line) {
  if (encoding.scaled) {
    line.operand(operand(in.scale[0], SlotConstants::Bits32));
    line.operand(operand(in.scale[1], SlotConstants::Bits32));
    line.bitList("op_sel", in.opSel, 3, 0);
    line.bitList("op_sel_hi", in.opSelHi, 3, 7);
  }
  line.modifierIf(in.cbsz, "cbsz:" + std::to_string(in.cbsz));
  line.modifierIf(in.abid, "abid:" + std::to_string(in.abid));
  const bool isDouble = std::string(mnemonic(in.op)).starts_with("v_mfma_f64");
  if (isDouble)
    line.bitList("neg", in.blgp, 3, 0);
  else
    line.modifierIf(in.blgp, "blgp:" + std::to_string(in.blgp));
}

// --- memory ------------------------------------------------------------------

void printScalarMemory(const Instruction &in, const Encoding &encoding, Line &line) {
  if (encoding.find(SlotRole::Offset)) {
    const std::string offset = in.offset < 0 ? "-" + hexadecimal(uint32_t(-in.offset))
                                             : hexadecimal(uint32_t(in.offset));
    if (in.src[1].kind == OperandKind::None)
      line.operand(offset);
    else {
      line.operand(operand(in.src[1], SlotConstants::Bits32));
      line.modifierIf(in.offset != 0, "offset:" + offset);
    }
  }
  const bool movesData = encoding.find(SlotRole::Dst) || encoding.find(SlotRole::Data);
  line.modifierIf(in.sc0 && movesData && encoding.find(SlotRole::Src0), "glc");
}

std::string swizzleOffset(unsigned offset) {
  if (offset & 0x8000) {
    if (offset >= 0xe000)
      return "swizzle(FFT," + std::to_string(offset & 31) + ")";
    if (offset >= 0xc000)
      return "swizzle(ROTATE," + std::to_string(offset >> 10 & 1) + "," +
             std::to_string(offset >> 5 & 31) + ")";
    std::string list = "QUAD_PERM";
    for (unsigned i = 0; i < 4; ++i)
      list += "," + std::to_string(offset >> 2 * i & 3);
    return (offset & 0x7f00) ? std::to_string(offset) : "swizzle(" + list + ")";
  }
  const unsigned andMask = offset & 31, orMask = offset >> 5 & 31, xorMask = offset >> 10 & 31;
  const auto text = [](const char *mode, unsigned size, std::string last) {
    return std::string("swizzle(") + mode + "," + std::to_string(size) + last + ")";
  };
  if (andMask == 31 && orMask == 0 && xorMask && (xorMask & (xorMask - 1)) == 0)
    return text("SWAP", xorMask, "");
  if (andMask == 31 && orMask == 0 && xorMask && (xorMask & (xorMask + 1)) == 0)
    return text("REVERSE", xorMask + 1, "");
  const unsigned group = 32 - andMask; // Broadcast keeps the high bits.
  if (group > 1 && (group & (group - 1)) == 0 && orMask < group && xorMask == 0)
    return text("BROADCAST", group, "," + std::to_string(orMask));
  std::string mask; // A bit of the lane number: kept, inverted, or forced.
  for (int bit = 4; bit >= 0; --bit) {
    const bool a = andMask >> bit & 1, o = orMask >> bit & 1, x = xorMask >> bit & 1;
    mask += o ? (x ? '0' : '1') : a ? (x ? 'i' : 'p') : (x ? '1' : '0');
  }
  return "swizzle(BITMASK_PERM,\"" + mask + "\")";
}

void printDataShare(const Instruction &in, const Encoding &encoding, Line &line) {
  if (encoding.twoOffsets) {
    line.modifierIf(in.offset & 0xff, "offset0:" + std::to_string(in.offset & 0xff));
    line.modifierIf(in.offset >> 8, "offset1:" + std::to_string(in.offset >> 8));
  } else if (in.op == Op::DS_SWIZZLE_B32) {
    line.modifierIf(in.offset != 0, "offset:" + swizzleOffset(unsigned(in.offset)));
  } else {
    line.modifierIf(in.offset != 0, "offset:" + std::to_string(in.offset));
  }
  line.modifierIf(in.gds, "gds");
}

void printBuffer(const Instruction &in, const Encoding &encoding, Line &line) {
  if (encoding.find(SlotRole::Offset))
    line.operand(operand(in.soffset, SlotConstants::Bits32));
  const bool addresses = encoding.slotCount != 0; // Cache operations do not.
  line.modifierIf(in.idxen && addresses, "idxen");
  line.modifierIf(in.offen && addresses, "offen");
  line.modifierIf(in.offset != 0 && addresses, "offset:" + std::to_string(in.offset));
  line.modifierIf(in.sc0, "sc0");
  line.modifierIf(in.nt && addresses, "nt");
  line.modifierIf(in.sc1, "sc1");
  line.modifierIf(in.lds, "lds");
}

void printFlat(const Instruction &in, Line &line) {
  line.modifierIf(in.offset != 0, "offset:" + std::to_string(in.offset));
  line.modifierIf(in.sc0, "sc0");
  line.modifierIf(in.nt, "nt");
  line.modifierIf(in.sc1, "sc1");
}

void printTail(const Instruction &in, const Encoding &encoding, Line &line) {
  switch (in.format) {
  case Format::SOP1: case Format::SOP2: case Format::SOPC:
  case Format::SOPK: case Format::SOPP:
    return;
  case Format::SMEM:
    return printScalarMemory(in, encoding, line);
  case Format::VOP1: case Format::VOP2: case Format::VOPC: case Format::VOP3:
    return printVector(in, encoding, line);
  case Format::VOP3P:
    return printPacked(in, encoding, line);
  case Format::MFMA:
    return printMatrix(in, encoding, line);
  case Format::DS:
    return printDataShare(in, encoding, line);
  case Format::MUBUF:
    return printBuffer(in, encoding, line);
  case Format::FLAT: case Format::GLOBAL: case Format::SCRATCH:
    return printFlat(in, line);
  }
}

/// The literal of v_fmaak, v_fmamk, and s_setreg_imm32.
std::string printedLiteral(const Instruction &in) {
  if (in.format == Format::SOPK) {
    const uint32_t value = in.src[0].value;
    if (!isInlineFloat32(value))
      return integer(int32_t(value));
    for (unsigned code = firstFloat; code <= reciprocalTwoPi; ++code) {
      static constexpr uint32_t bits[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                          0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
      if (bits[code - firstFloat] == value)
        return inlineFloat(code, SlotConstants::Bits32);
    }
  }
  const Operand &constant = in.src[1].kind == OperandKind::Const ? in.src[1] : in.src[2];
  return hexadecimal(constant.value);
}

} // namespace
} // namespace printer

std::string print(const Instruction &instruction, Arch arch) {
  const Encoding *encoding = findEncoding(arch, instruction.format, instruction.op);
  if (!encoding)
    return mnemonic(instruction.op);
  printer::Line line(mnemonic(instruction.op) + printer::suffix(instruction, *encoding));
  // An atomic that returns names its destination first.
  if (encoding->returnDwords && instruction.sc0 && instruction.format != Format::MUBUF)
    line.operand(printer::operand(instruction.dst, SlotConstants::Bits32));
  bool sourcesSeen = false;
  for (unsigned i = 0; i < encoding->slotCount; ++i) {
    const OperandSlot &slot = encoding->slots[i];
    if (slot.role == SlotRole::Imm16 && encoding->hidesZeroImm && instruction.imm == 0)
      continue;
    if (slot.role == SlotRole::Literal)
      line.operand(printer::printedLiteral(instruction));
    else if (slot.role == SlotRole::Dst && instruction.lds)
      continue; // The data goes to LDS.
    else if (slot.role != SlotRole::Offset)
      printer::printSlot(instruction, slot, sourcesSeen, line);
  }
  printer::printTail(instruction, *encoding, line);
  return line.take();
}

} // namespace hipsim
