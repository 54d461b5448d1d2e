// Compiled kernels: every instruction against llvm-objdump.
#include "runtime/hipsim/isa/code_object.h"
#include "tests/sim/isa/reference_tools.h"

#include <catch2/catch.hpp>

using namespace hipsim;
using namespace hipsim::test;

TEST_CASE("kernels print as llvm-objdump prints them") {
  const Arch arch = GENERATE(Arch::Gfx942, Arch::Gfx950);
  const std::string name = GENERATE("dec_arithmetic", "dec_memory", "dec_matrix");
  const unsigned level = GENERATE(0u, 1u, 2u, 3u);
  const std::string path = kernelPath(name, arch, level);
  INFO(path);
  const std::vector<ReferenceLine> reference = disassembleFile(path);
  CHECK(reference.size() > 400);
  for (const ReferenceLine &line : reference) {
    INFO(line.text);
    Instruction instruction;
    std::string error;
    REQUIRE(decode(arch, line.bytes.data(), line.bytes.size(), 0, instruction, error));
    CHECK(size_t(instruction.size) == line.bytes.size());
    CHECK(print(instruction, arch) == line.text);
  }
}

TEST_CASE("walking .text by instruction sizes reaches every kernel") {
  const Arch arch = GENERATE(Arch::Gfx942, Arch::Gfx950);
  const std::vector<uint8_t> file = readFile(kernelPath("dec_memory", arch, 3));
  CodeObject object;
  std::string error;
  REQUIRE(loadCodeObject(file.data(), file.size(), object, error));
  for (const KernelDescriptor &kernel : object.kernels) {
    INFO(kernel.name);
    uint32_t pc = kernel.entry;
    Instruction instruction;
    do {
      INFO("pc " << pc << " " << error);
      REQUIRE(decode(arch, object.text(), object.textSize, pc, instruction, error));
      CHECK(instruction.pc == pc);
      pc += instruction.size;
    } while (instruction.op != Op::S_ENDPGM);
  }
}
