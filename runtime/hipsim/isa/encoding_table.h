// The generated encodings as an indexed table: what the decoder and the printer
// look up. A row knows where each operand sits and how LLVM writes it.
//
// Private to runtime/hipsim/isa; the executor sees only instruction.h.
#pragma once

#include "runtime/hipsim/isa/instruction.h"

#include <cstdint>

namespace hipsim {

enum class SlotRole : uint8_t {
  Dst, Dst2, Src0, Src1, Src2,
  ImplicitVcc, ///< First one after dst of a carry operation or compare: dst2;
               ///< otherwise carry in, src[2].
  Literal, Imm16, Vaddr, Data, Data1,
  Base,        ///< srsrc or saddr.
  Offset,      ///< SMEM offset or MUBUF soffset.
};

enum class SlotRegisters : uint8_t { Any, Vector, Scalar, Accumulation };

/// How constants of the slot are written and widened.
/// Double: as Bits64, and a literal is the upper half.
enum class SlotConstants : uint8_t { Bits32, Bits64, Double, Half, Short };

struct OperandSlot {
  SlotRole role = SlotRole::Dst;
  uint8_t dwords = 0;
  SlotRegisters registers = SlotRegisters::Any;
  SlotConstants constants = SlotConstants::Bits32;
};

struct Encoding {
  Format format = Format::SOP1;
  uint16_t opcode = 0;
  Op op = Op::Invalid;
  uint8_t archs = 0;          ///< Bit per Arch.
  bool hasSuffix = false;     ///< _e32 or _e64 is part of the text.
  bool hasDpp = false, hasSdwa = false;
  bool sdwaSourceOnly = false; ///< SDWA without dst_sel and dst_unused.
  bool hasScalarDst2 = false;  ///< VOP3B.
  bool twoOffsets = false;     ///< DS.
  bool needsGds = false;       ///< DS.
  bool hasLds = false;         ///< MUBUF.
  bool lacksOpSel = false;     ///< VOP3P.
  bool scaled = false;         ///< MFMA with a scale prefix.
  bool hidesZeroImm = false;   ///< SOPP.
  uint8_t opSelCount = 0;      ///< VOP3: entries of a printed op_sel.
  uint8_t returnDwords = 0;    ///< Atomics: dwords returned when sc0 is set.
  uint8_t slotCount = 0;
  OperandSlot slots[6];

  const OperandSlot *find(SlotRole role) const {
    for (unsigned i = 0; i < slotCount; ++i)
      if (slots[i].role == role)
        return &slots[i];
    return nullptr;
  }
};

/// The row of an opcode; null when the architecture has none.
const Encoding *findEncoding(Arch arch, Format format, unsigned opcode,
                             bool scaled = false);

/// The row that prints `op` in `format`; null when there is none.
const Encoding *findEncoding(Arch arch, Format format, Op op);

/// All rows, for tests that visit each of them.
const Encoding *encodingsBegin();
const Encoding *encodingsEnd();

} // namespace hipsim
