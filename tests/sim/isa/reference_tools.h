// LLVM's tools as the reference of the decoder's tests.
#pragma once

#include "runtime/hipsim/isa/instruction.h"

#include <string>
#include <vector>

namespace hipsim::test {

/// One instruction as LLVM printed it; white space is normalised.
struct ReferenceLine {
  std::string text;
  std::vector<uint8_t> bytes;
};

/// What a shell command prints; fails the test when it cannot run.
std::string commandOutput(const std::string &command);

/// Single spaces, none at the ends.
std::string normalise(const std::string &text);

/// Every instruction of a code object, by llvm-objdump.
std::vector<ReferenceLine> disassembleFile(const std::string &path);

/// llvm-mc's text of each encoding; "" where it refuses one.
std::vector<std::string> disassemble(Arch arch, const std::vector<std::vector<uint8_t>> &encodings);

std::vector<uint8_t> readFile(const std::string &path);

/// Path of a kernel compiled by CMakeLists.txt, e.g. ("dec_memory", Gfx942, 3).
std::string kernelPath(const std::string &name, Arch arch, unsigned level);

} // namespace hipsim::test
