// Parses the rows of encodings_*.def once and indexes them by opcode and by
// operation. The rows are our own generated data, so a malformed row is a
// programming error and is caught by the table test, not at run time.
#include "runtime/hipsim/isa/encoding_table.h"

#include <array>
#include <vector>

namespace hipsim {
namespace {

constexpr uint8_t Gfx942 = 1 << unsigned(Arch::Gfx942);
constexpr uint8_t Gfx950 = 1 << unsigned(Arch::Gfx950);
constexpr uint8_t Both = Gfx942 | Gfx950;

struct Row {
  Format format;
  uint16_t opcode;
  Op op;
  uint8_t archs;
  const char *flags;
  const char *operands;
};

constexpr Row rows[] = {
#define HIPSIM_ENCODING(format, opcode, op, archs, flags, operands)            \
  {Format::format, opcode, Op::op, archs, flags, operands},
#include "runtime/hipsim/isa/encodings_memory.def"
#include "runtime/hipsim/isa/encodings_scalar.def"
#include "runtime/hipsim/isa/encodings_vector.def"
#include "runtime/hipsim/isa/encodings_vector_long.def"
#undef HIPSIM_ENCODING
};

constexpr unsigned formatCount = unsigned(Format::SCRATCH) + 1;
constexpr unsigned opcodeLimit = 1024; // VOP3 has 10 opcode bits.

void parseFlags(const char *flags, Encoding &encoding) {
  for (const char *c = flags; *c; ++c) {
    switch (*c) {
    case 's': encoding.hasSuffix = true; break;
    case 'p': encoding.hasDpp = true; break;
    case 'w': encoding.hasSdwa = true; break;
    case 'W': encoding.hasSdwa = encoding.sdwaSourceOnly = true; break;
    case 'B': encoding.hasScalarDst2 = true; break;
    case '2': encoding.twoOffsets = true; break;
    case 'g': encoding.needsGds = true; break;
    case 'n': encoding.lacksOpSel = true; break;
    case 'l': encoding.hasLds = true; break;
    case 'x': encoding.scaled = true; break;
    case 'z': encoding.hidesZeroImm = true; break;
    case 'o': encoding.opSelCount = uint8_t(*++c - '0'); break;
    case 'a': encoding.returnDwords = uint8_t(*++c - '0'); break;
    }
  }
}

SlotRole parseRole(char c) {
  switch (c) {
  case 'e': return SlotRole::Dst2;
  case 'a': return SlotRole::Src0;
  case 'b': return SlotRole::Src1;
  case 'c': return SlotRole::Src2;
  case 'V': return SlotRole::ImplicitVcc;
  case 'k': return SlotRole::Literal;
  case 'i': return SlotRole::Imm16;
  case 'v': return SlotRole::Vaddr;
  case 't': return SlotRole::Data;
  case 'u': return SlotRole::Data1;
  case 'r': return SlotRole::Base;
  case 'o': return SlotRole::Offset;
  default: return SlotRole::Dst;
  }
}

void parseOperands(const char *text, Encoding &encoding) {
  while (*text) {
    OperandSlot slot;
    slot.role = parseRole(*text++);
    for (; *text && *text != ' '; ++text) {
      switch (*text) {
      case 'v':
        if (slot.registers != SlotRegisters::Accumulation)
          slot.registers = SlotRegisters::Vector;
        break;
      case 's': slot.registers = SlotRegisters::Scalar; break;
      case 'g': slot.registers = SlotRegisters::Accumulation; break;
      case 'f': slot.constants = SlotConstants::Double; break;
      case 'q': slot.constants = SlotConstants::Bits64; break;
      case 'h': slot.constants = SlotConstants::Half; break;
      case 'j': slot.constants = SlotConstants::Short; break;
      default: slot.dwords = uint8_t(slot.dwords * 10 + (*text - '0'));
      }
    }
    if (*text == ' ')
      ++text;
    encoding.slots[encoding.slotCount++] = slot;
  }
}

struct Tables {
  std::vector<Encoding> encodings;
  // Row number + 1, 0 where there is none. Scaled MFMA rows share the opcode
  // of the plain ones and have an index of their own.
  std::array<std::array<std::array<uint16_t, opcodeLimit>, formatCount>, 2> byOpcode{};
  std::array<std::array<uint16_t, 128>, 2> scaledByOpcode{};
  std::array<std::vector<std::array<uint16_t, formatCount>>, 2> byOp;

  Tables() {
    encodings.reserve(std::size(rows));
    for (auto &perOp : byOp)
      perOp.resize(size_t(Op::Count));
    for (const Row &row : rows) {
      Encoding encoding;
      encoding.format = row.format;
      encoding.opcode = row.opcode;
      encoding.op = row.op;
      encoding.archs = row.archs;
      parseFlags(row.flags, encoding);
      parseOperands(row.operands, encoding);
      encodings.push_back(encoding);
      for (unsigned arch = 0; arch < 2; ++arch)
        if (encoding.archs & (1 << arch))
          index(arch, encoding, uint16_t(encodings.size()));
    }
  }

  void index(unsigned arch, const Encoding &encoding, uint16_t number) {
    byOp[arch][size_t(encoding.op)][size_t(encoding.format)] = number;
    if (encoding.scaled)
      scaledByOpcode[arch][encoding.opcode] = number;
    else
      byOpcode[arch][size_t(encoding.format)][encoding.opcode] = number;
  }
};

const Tables &tables() {
  static const Tables instance;
  return instance;
}

const Encoding *rowNumber(uint16_t number) {
  return number ? &tables().encodings[number - 1] : nullptr;
}

} // namespace

const Encoding *findEncoding(Arch arch, Format format, unsigned opcode,
                             bool scaled) {
  const Tables &t = tables();
  if (scaled)
    return opcode < 128 ? rowNumber(t.scaledByOpcode[size_t(arch)][opcode]) : nullptr;
  return opcode < opcodeLimit
             ? rowNumber(t.byOpcode[size_t(arch)][size_t(format)][opcode])
             : nullptr;
}

const Encoding *findEncoding(Arch arch, Format format, Op op) {
  if (op >= Op::Count)
    return nullptr;
  return rowNumber(tables().byOp[size_t(arch)][size_t(op)][size_t(format)]);
}

const Encoding *encodingsBegin() { return tables().encodings.data(); }
const Encoding *encodingsEnd() {
  return tables().encodings.data() + tables().encodings.size();
}

const char *mnemonic(Op op) {
  static constexpr const char *names[] = {
      "?",
#define HIPSIM_OP(name, text) text,
#include "runtime/hipsim/isa/ops.def"
#undef HIPSIM_OP
  };
  return op < Op::Count ? names[size_t(op)] : "?";
}

} // namespace hipsim
