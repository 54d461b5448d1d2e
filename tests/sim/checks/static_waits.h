// A second, static opinion on wait counts: does some path of the program use a
// register or LDS byte before a wait covers it?
//
// Written from the rules of isa.md 9 without looking at the dynamic check, as
// the judge of which mutations matter.
#pragma once

#include "runtime/hipsim/isa/code_object.h"

#include <cstdint>
#include <map>
#include <vector>

namespace hipsim::test {

/// A program as decoded; index of the instruction at each pc.
struct DecodedText {
  std::vector<Instruction> instructions;
  std::map<uint32_t, size_t> at;
};
DecodedText decodeText(const CodeObject &code);

/// Pairs (use, operation) of instruction indices: `use` touches a register
/// that `operation` may still be loading. From `entry` on, through calls whose
/// target is not known as if they returned at once.
struct EarlyUse {
  size_t use, operation;
};
std::vector<EarlyUse> findEarlyUses(const DecodedText &text, uint32_t entry);

} // namespace hipsim::test
