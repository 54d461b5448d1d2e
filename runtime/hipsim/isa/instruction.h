// A decoded instruction: what the executor, the checkers and the printer read.
//
// Decoding happens once per code object; an Instruction is plain data with
// every modifier explicit, so that nothing downstream looks at encodings.
// No LLVM here or anywhere in hipsim. README.md says where each format puts
// implicit and unusual operands (vcc, accumulators, truth tables).
#pragma once

#include <cstdint>
#include <string>

namespace hipsim {

/// One enumerator a mnemonic, upper case and without encoding suffixes
/// (_e32, _e64, _dpp, _sdwa): V_ADD_U32, S_LOAD_DWORDX4, DS_READ_B128,
/// V_MFMA_F32_16X16X16_BF16. All encodings of a mnemonic share the enumerator.
enum class Op : uint16_t {
  Invalid = 0,
#define HIPSIM_OP(name, mnemonic) name,
#include "runtime/hipsim/isa/ops.def"
#undef HIPSIM_OP
  Count
};

enum class Format : uint8_t {
  SOP1, SOP2, SOPK, SOPC, SOPP, SMEM,
  VOP1, VOP2, VOPC, VOP3, VOP3P, MFMA, // MFMA: VOP3P-MAI, with or without scale
  DS, MUBUF, FLAT, GLOBAL, SCRATCH,
};

enum class OperandKind : uint8_t {
  None,
  Vgpr,    ///< index = v0..v255
  Agpr,    ///< index = a0..a255
  Sgpr,    ///< index = scalar register number 0..127: s0..s101, 102/103
           ///< flat_scratch, 104/105 xnack_mask, 106/107 vcc, 124 m0, 126/127 exec
  Const,   ///< value holds the 32-bit inline constant or literal as its bits
           ///< (f32 inline constants as f32 bits; see Instruction::literal)
  Special, ///< index = source code 235..254: shared_base 235, shared_limit 236,
           ///< private_base 237, private_limit 238, pops 239, vccz 251,
           ///< execz 252, scc 253
};

struct Operand {
  OperandKind kind = OperandKind::None;
  uint8_t dwords = 1;    ///< Registers it spans; 1 for 16-bit and 8-bit values.
  uint16_t index = 0;
  uint32_t value = 0;    ///< Const only.
  uint16_t code = 0;     ///< Source code of a Const: 128..208 integer,
                         ///< 240..248 float, 255 literal. The executor widens
                         ///< it to the operation's type with this.
  bool neg = false, abs = false; ///< VOP3 and SDWA input modifiers.
  bool sext = false;             ///< SDWA.
  uint8_t sel = 6;               ///< SDWA: 0..3 byte, 4 low word, 5 high word, 6 dword.
};

enum class DppKind : uint8_t { None, Dpp16, Dpp8 };

struct Instruction {
  Op op = Op::Invalid;
  Format format = Format::SOP1;
  uint8_t size = 0;  ///< Bytes, with literal, SDWA/DPP dword or scale prefix.
  uint32_t pc = 0;   ///< Byte offset in .text.

  Operand dst;       ///< vdst, sdst, or data destination of a load.
  Operand dst2;      ///< VOP3B / VOPC carry or compare result (vcc by default),
                     ///< SDWA sdst.
  Operand src[3];    ///< VALU, SALU, MFMA A, B, C. SMEM: base, offset register.
  Operand scale[2];  ///< MFMA with scale: registers of the A and B scales.

  // VALU modifiers.
  bool clamp = false;
  uint8_t omod = 0;      ///< 0 none, 1 *2, 2 *4, 3 /2.
  uint8_t opSel = 0;     ///< One bit a source; bit 3 the destination.
  uint8_t opSelHi = 0;   ///< VOP3P.
  uint8_t negLo = 0, negHi = 0; ///< VOP3P.
  bool sdwa = false;
  uint8_t dstSel = 6, dstUnused = 0; ///< SDWA: unused 0 pad, 1 sext, 2 preserve.
  DppKind dpp = DppKind::None;
  uint16_t dppCtrl = 0;
  uint8_t rowMask = 0xf, bankMask = 0xf;
  bool boundCtrl = false;
  uint8_t cbsz = 0, abid = 0, blgp = 0; ///< MFMA.

  // Memory.
  Operand vaddr;     ///< DS: addr. MUBUF: vaddr. FLAT/GLOBAL/SCRATCH: vaddr.
  Operand saddr;     ///< GLOBAL/SCRATCH: saddr (None when off). MUBUF: srsrc.
  Operand soffset;   ///< MUBUF.
  Operand data;      ///< Store data / DS data0 / atomic data.
  Operand data1;     ///< DS data1.
  int32_t offset = 0;   ///< Immediate byte offset, sign-extended where signed;
                        ///< DS: offset0 | offset1 << 8 (two-address forms
                        ///< split it). SMEM: signed 21-bit.
  bool sc0 = false, sc1 = false, nt = false;
  bool offen = false, idxen = false, lds = false, gds = false;

  // Scalar.
  int32_t imm = 0;   ///< simm16 of SOPK/SOPP (branch: words relative to pc+4,
                     ///< sign-extended; waitcnt: raw).
};

/// "v_add_u32"; "?" for Op::Invalid.
const char *mnemonic(Op op);

/// Decodes the instruction at `pc` of `text`. False: not an instruction of
/// this architecture; `error` says the dword(s) and the offset.
enum class Arch : uint8_t { Gfx942, Gfx950 };
bool decode(Arch arch, const uint8_t *text, size_t size, uint32_t pc,
            Instruction &out, std::string &error);

/// Assembly in LLVM's syntax, e.g. "v_add_u32_e32 v1, v2, v3".
std::string print(const Instruction &instruction, Arch arch);

} // namespace hipsim
