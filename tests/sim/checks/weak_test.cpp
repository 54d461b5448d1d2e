// The litmus tests of chk_litmus.c with one cache a die: whole programs are
// right under every seed, and each missing fence shows under some.
#include "tests/sim/exec/device.h"

namespace {

constexpr int seedCount = 32;
constexpr uint32_t groups = 16;

bool messageFails(Module &module, const char *kernel) {
  Buffer<uint32_t> data(std::vector<uint32_t>(64, 7)), flag(std::vector<uint32_t>{0}),
      output(64 * groups);
  HIP_OK(module.run(kernel, groups, 64, data.get(), flag.get(), output.get()));
  std::vector<uint32_t> got = output.read();
  for (uint32_t i = 0; i < 64 * groups; ++i) // Group 5 is the writer.
    if (i / 64 != 5 && got[i] != 1000 + i % 64)
      return true;
  return false;
}

bool lastBlockFails(Module &module, const char *kernel) {
  Buffer<uint32_t> part(std::vector<uint32_t>(groups, 100)), ticket(std::vector<uint32_t>{0}),
      output(std::vector<uint32_t>{0});
  HIP_OK(module.run(kernel, groups, 64, part.get(), ticket.get(), output.get(), groups));
  // 16 * 100 + (1 + ... + 16).
  return output.read()[0] != groups * 100 + groups * (groups + 1) / 2;
}

int failures(bool (*fails)(Module &, const char *), const std::string &level, const char *kernel,
             const char *checks) {
  Module module("chk_litmus." + level);
  int count = 0;
  HIP_OK(hipsimSetOption("checks", checks));
  for (int seed = 1; seed <= seedCount; ++seed) {
    HIP_OK(hipsimSetOption("seed", std::to_string(seed).c_str()));
    count += fails(module, kernel);
  }
  HIP_OK(hipsimSetOption("checks", "none"));
  HIP_OK(hipsimSetOption("seed", "1"));
  return count;
}

const char *levels[] = {"O0", "O1", "O2", "O3"};

} // namespace

TEST_CASE("weak memory: message passing", "[checks][weak]") {
  for (const char *level : levels) {
    INFO(level);
    CHECK(failures(messageFails, level, "message", "all") == 0);
    CHECK(failures(messageFails, level, "message_without_release", "weak") > 0);
    CHECK(failures(messageFails, level, "message_without_acquire", "weak") > 0);
    // Coherent memory hides the bug; that is why the check exists.
    CHECK(failures(messageFails, level, "message_without_acquire", "none") == 0);
  }
}

TEST_CASE("weak memory: the last block adds the parts", "[checks][weak]") {
  for (const char *level : levels) {
    INFO(level);
    CHECK(failures(lastBlockFails, level, "last_block", "all") == 0);
    CHECK(failures(lastBlockFails, level, "last_block_without_release", "weak") > 0);
    CHECK(failures(lastBlockFails, level, "last_block_without_acquire", "weak") > 0);
  }
}
