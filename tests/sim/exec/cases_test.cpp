// Integer, float and control-flow operations: the simulated device against the
// host, compiled from the same source (tests/sim/kernels/exec_cases.h).
#include "tests/sim/exec/device.h"

#include "tests/sim/kernels/exec_cases.h"

namespace {

constexpr uint32_t caseCount = 4096;

/// Three operands a case: random ones mixed with the values that break things.
std::vector<uint32_t> operands(uint32_t seed, bool floats) {
  const uint32_t special[] = {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff,
                              0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                              0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x3c003c00,
                              0x80000001, 0x4f000000, 0xcf000000, 0x4b800000, 0x03ff8001};
  std::mt19937 random(seed);
  std::vector<uint32_t> values(caseCount * 3);
  for (uint32_t &v : values) {
    uint32_t kind = random() % 8;
    if (kind < 2)
      v = special[random() % std::size(special)];
    else if (kind < 4)
      v = random() % 64;
    else if (floats && kind < 7) // Numbers of moderate size.
      v = (random() & 0x80ffffff) | (0x3c000000 + (random() % 8 << 24));
    else
      v = random();
  }
  return values;
}

void compare(const std::string &level, const char *kernel, uint32_t outputs, bool floats,
             void (*expected)(u32, u32, u32, u32 *)) {
  constexpr uint32_t seed = 20240611;
  std::vector<uint32_t> in = operands(seed, floats);
  Module module("exec_cases." + level);
  Buffer<uint32_t> input(in), output(size_t(caseCount) * outputs);
  HIP_OK(module.run(kernel, (caseCount + 63) / 64, 64, input.get(), output.get(), caseCount));
  std::vector<uint32_t> got = output.read(), want(outputs);
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < caseCount; ++i) {
    expected(in[3 * i], in[3 * i + 1], in[3 * i + 2], want.data());
    for (uint32_t k = 0; k < outputs; ++k)
      if (got[i * outputs + k] != want[k] && wrong++ < 5)
        UNSCOPED_INFO(kernel << " case " << i << " output " << k << " of (" << std::hex
                             << in[3 * i] << ", " << in[3 * i + 1] << ", " << in[3 * i + 2]
                             << "): got " << got[i * outputs + k] << ", expected " << want[k]);
  }
  CHECK(wrong == 0);
}

const char *levels[] = {"O0", "O1", "O3"};

} // namespace

TEST_CASE("integer operations equal the host's", "[cases]") {
  for (const char *level : levels)
    compare(level, "integer_cases", INTEGER_OUTPUTS, false, integerCase);
}

TEST_CASE("float, double and half operations equal the host's", "[cases]") {
  for (const char *level : levels)
    compare(level, "float_cases", FLOAT_OUTPUTS, true, floatCase);
}

TEST_CASE("divergent control flow and private arrays equal the host's", "[cases]") {
  for (const char *level : levels)
    compare(level, "control_cases", CONTROL_OUTPUTS, false, controlCase);
}
