// Reading operands out of encodings: what all formats of the decoder share.
//
// Private to the decoder. Every function that can meet an impossible register,
// constant or a text that ends too early says so by returning false; the
// decoder then reports the instruction as a whole.
#pragma once

#include "runtime/hipsim/isa/encoding_table.h"

#include <cstddef>
#include <cstdint>

namespace hipsim::decoder {

/// Source codes with a meaning of their own (9-bit source field).
enum SourceCode : unsigned {
  firstTrap = 108, lastTrap = 123, m0 = 124, exec = 126,
  firstInteger = 128, lastInteger = 208,
  firstSpecial = 235, lastAperture = 239,
  firstFloat = 240, lastFloat = 248,
  sdwaMarker = 249, dppMarker = 250,
  vccz = 251, scc = 253, literalMarker = 255, firstVgpr = 256,
};

constexpr unsigned vcc = 106;

/// The instruction being decoded.
struct Context {
  Arch arch;
  const uint8_t *text;
  size_t size;         ///< Of the text.
  uint32_t pc;
  uint32_t word0 = 0;
  uint32_t word1 = 0;  ///< 0 when the text ends after word0.
  bool hasWord1 = false;
  bool usesLiteral = false;
  const Encoding *encoding = nullptr;
  Instruction &out;

  /// Dword `index` of the instruction; false past the end of the text.
  bool word(unsigned index, uint32_t &value) const;
};

constexpr uint32_t bits(uint32_t word, unsigned low, unsigned count) {
  return (word >> low) & ((1u << count) - 1);
}

constexpr int32_t signExtend(uint32_t value, unsigned width) {
  return int32_t(value << (32 - width)) >> (32 - width);
}

bool vgpr(unsigned index, unsigned dwords, Operand &out);
bool agpr(unsigned index, unsigned dwords, Operand &out);
/// A 7-bit scalar register number.
bool sgpr(unsigned index, unsigned dwords, Operand &out);
/// Implicit or explicit vcc.
Operand vccOperand();
/// The 32-bit constant that follows the first dword.
bool literal(Context &context, Operand &out);
/// A 9-bit source field; `allowLiteral` for encodings of one dword.
bool source(Context &context, unsigned code, const OperandSlot &slot,
            bool allowLiteral, Operand &out);

// One function a group of formats; each fills `context.out` completely.
bool decodeScalar(Context &context);   ///< SOP1, SOP2, SOPC, SOPK, SOPP
bool decodeScalarMemory(Context &context);
bool decodeShortVector(Context &context); ///< VOP1, VOP2, VOPC with SDWA, DPP
bool decodeLongVector(Context &context);  ///< VOP3, VOP3P
bool decodeMatrix(Context &context);      ///< MFMA
bool decodeDataShare(Context &context);
bool decodeBuffer(Context &context);
bool decodeFlat(Context &context);        ///< FLAT, GLOBAL, SCRATCH

} // namespace hipsim::decoder
