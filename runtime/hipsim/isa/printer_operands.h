// Text of operands and immediates: what the printer's files share.
//
// Private to the printer; the syntax is that of LLVM's disassembler, because
// its output is what people compare against.
#pragma once

#include "runtime/hipsim/isa/encoding_table.h"

#include <string>

namespace hipsim::printer {

std::string hexadecimal(uint32_t value);
/// Small integers in decimal, others in hexadecimal.
std::string integer(int64_t value);
/// A register, special register or constant, without modifiers.
std::string operand(const Operand &operand, SlotConstants constants);
/// With neg, abs and sext.
std::string modifiedOperand(const Operand &operand, SlotConstants constants);
/// The immediate of SOPK, SOPP and s_set_gpr_idx_on.
std::string scalarImmediate(const Instruction &instruction);

} // namespace hipsim::printer
