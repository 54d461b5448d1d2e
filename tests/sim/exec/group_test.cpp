// Workgroup features (tests/sim/kernels/exec_group.c): expected values are
// derived beside each check.
#include "tests/sim/exec/device.h"

namespace {

std::vector<uint32_t> randomValues(size_t count, uint32_t seed = 7) {
  std::mt19937 random(seed);
  std::vector<uint32_t> values(count);
  for (uint32_t &v : values)
    v = random();
  return values;
}

const char *levels[] = {"O0", "O1", "O3"};

} // namespace

TEST_CASE("LDS reduction with barriers", "[group]") {
  for (std::string level : levels) {
    Module module("exec_group." + level);
    std::vector<uint32_t> in = randomValues(16 * 256);
    Buffer<uint32_t> input(in), output(16);
    HIP_OK(module.run("lds_reduce", 16, 256, input.get(), output.get()));
    std::vector<uint32_t> got = output.read();
    for (int g = 0; g < 16; ++g) {
      uint32_t sum = 0;
      for (int i = 0; i < 256; ++i)
        sum += in[g * 256 + i];
      CHECK(got[g] == sum);
    }
  }
}

TEST_CASE("16-byte LDS accesses", "[group]") {
  for (std::string level : levels) {
    Module module("exec_group." + level);
    std::vector<uint32_t> in = randomValues(1024);
    Buffer<uint32_t> input(in), output(1024);
    HIP_OK(module.run("lds_wide", 1, 256, input.get(), output.get()));
    std::vector<uint32_t> got = output.read();
    for (int i = 0; i < 1024; ++i)
      REQUIRE(got[i] == in[(i + 256) % 1024]); // 64 rows of 4.
  }
}

TEST_CASE("global and LDS atomics", "[group]") {
  for (std::string level : levels) {
    constexpr uint32_t groups = 20, items = groups * 128;
    Module module("exec_group." + level);
    Buffer<uint32_t> counters(std::vector<uint32_t>{0, 0, 0, 0, 0});
    Buffer<float> sum(std::vector<float>{0});
    Buffer<uint64_t> wide(std::vector<uint64_t>{0});
    Buffer<uint32_t> tickets(std::vector<uint32_t>(items, 0));
    HIP_OK(module.run("atomics", groups, 128, counters.get(), sum.get(), wide.get(), tickets.get()));
    // Every ticket once; the largest is items - 1; each item adds 3 and 1.
    CHECK(counters.read() == std::vector<uint32_t>{items, items - 1, 0xffffffff, items * 3, items});
    CHECK(sum.read()[0] == items * 0.25f);
    CHECK(wide.read()[0] == items * 0x100000001ull);
    CHECK(tickets.read() == std::vector<uint32_t>(items, 1));
  }
}

TEST_CASE("lane crossing", "[group]") {
  for (std::string level : levels) {
    INFO(level);
    Module module("exec_group." + level);
    std::vector<uint32_t> v = randomValues(64);
    Buffer<uint32_t> input(v), output(64 * 16);
    HIP_OK(module.run("lanes", 1, 64, input.get(), output.get()));
    std::vector<uint32_t> out = output.read();
    uint64_t ballot = 0;
    for (int l = 0; l < 64; ++l)
      ballot |= uint64_t(v[l] & 1) << l;
    for (uint32_t l = 0; l < 64; ++l) {
      INFO("lane " << l);
      const uint32_t *o = out.data() + l * 16;
      uint32_t row = l & ~15u, i = l & 15;
      CHECK(o[0] == v[l ^ 5]);
      // Lane k pushes to 3 k mod 64; 3 * 43 = 129 = 1 mod 64, so k = 43 l.
      CHECK(o[1] == v[l * 43 & 63]);
      CHECK(o[2] == (i ? v[l - 1] : 77));
      CHECK(o[3] == (i < 12 ? v[l + 4] : 0));
      CHECK(o[4] == v[l ^ 3]);
      CHECK(o[5] == v[row + 3]);
      CHECK(o[6] == (row == 0 || row == 32 ? v[row + 15 - i] : 77));
      CHECK(o[7] == (row == 16 || row == 48 ? v[row - 1] : 77));
      CHECK(o[8] == v[17]);
      CHECK(o[9] == v[l ^ 1]);
      uint64_t mask = 0xf0f0f0f0ff00ff00ull & ((1ull << l) - 1);
      CHECK(o[10] == uint32_t(__builtin_popcountll(mask)));
      CHECK((uint64_t(o[12]) << 32 | o[11]) == ballot);
      CHECK(o[13] == (l >= 20 ? v[20] : 0xffffffff));
    }
  }
}

TEST_CASE("buffer accesses are clamped to num_records", "[group]") {
  for (std::string level : levels) {
    Module module("exec_group." + level);
    std::vector<uint32_t> in = randomValues(256);
    constexpr int inBytes = 810, outBytes = 1900;
    Buffer<uint32_t> input(in), output(512);
    HIP_OK(module.run("buffers", 1, 64, input.get(), output.get(), inBytes, outBytes));
    std::vector<uint32_t> got = output.read(), want(512, 0xffffffff);
    auto put = [&](uint32_t at, uint32_t value, uint32_t bytes) {
      if (at + bytes <= uint32_t(outBytes)) // Each dword or short on its own.
        std::memcpy(reinterpret_cast<char *>(want.data()) + at, &value, bytes);
    };
    for (uint32_t l = 0; l < 64; ++l) {
      for (uint32_t d = 0; d < 4; ++d) {
        // voffset 20 l, soffset 4: the dword counts if it ends by byte 810.
        uint32_t at = l * 20 + 4 + 4 * d;
        put(l * 32 + 4 * d, at + 4 <= uint32_t(inBytes) ? in[at / 4] : 0, 4);
      }
      put(l * 32 + 16, in[l], 4);
      put(l * 32 + 20, in[l / 2] >> (16 * (l & 1)) & 0xffff, 2);
    }
    CHECK(got == want);
  }
}

TEST_CASE("load to LDS", "[group]") {
  for (std::string level : levels) {
    Module module("exec_group." + level);
    std::vector<uint32_t> in = randomValues(64);
    Buffer<uint32_t> input(in), output(64);
    HIP_OK(module.run("load_to_lds", 1, 64, input.get(), output.get()));
    std::vector<uint32_t> got = output.read();
    for (int l = 0; l < 64; ++l)
      CHECK(got[l] == in[l ^ 1]);
  }
}

TEST_CASE("recursive calls and private memory", "[group]") {
  for (std::string level : levels) {
    Module module("exec_group." + level);
    std::vector<uint32_t> in = randomValues(64);
    Buffer<uint32_t> input(in), output(64);
    HIP_OK(module.run("calls", 1, 64, input.get(), output.get()));
    std::vector<uint32_t> got = output.read();
    for (int l = 0; l < 64; ++l) {
      uint32_t n = in[l] & 7, r = 1, trail[4] = {};
      for (uint32_t k = n;; --k) {
        trail[k & 3] += k;
        if (k < 2)
          break;
        r *= k;
      }
      CHECK(got[l] == r + trail[0] * 1000 + trail[1] * 10000 + trail[2] * 100000);
    }
  }
}

TEST_CASE("generic pointers", "[group]") {
  for (std::string level : levels)
    for (uint32_t which = 0; which < 3; ++which) {
      INFO(level << " space " << which);
      Module module("exec_group." + level);
      std::vector<uint32_t> start = randomValues(192);
      Buffer<uint32_t> output(start);
      HIP_OK(module.run("flat", 1, 64, output.get(), which));
      std::vector<uint32_t> got = output.read();
      for (uint32_t l = 0; l < 64; ++l) {
        uint32_t shared = l * 2, mine = (l & 3) + 1;
        CHECK(got[l] == (which == 0 ? shared : which == 1 ? mine : start[64 + l]) + 5);
        CHECK(got[64 + l] == (which == 2 ? 9 : start[64 + l]));
        CHECK(got[128 + l] == (which == 0 ? 9 : shared) + (which == 1 ? 9 : mine));
      }
    }
}

TEST_CASE("ids and hidden arguments in three dimensions", "[group]") {
  for (std::string level : levels) {
    Module module("exec_group." + level);
    constexpr uint32_t items = 5 * 3 * 7, groups = 2 * 3 * 2;
    Buffer<uint32_t> output(items * groups);
    uint32_t *pointer = output.get();
    void *parameters[] = {&pointer};
    HIP_OK(hipModuleLaunchKernel(module.function("shape"), 2, 3, 2, 5, 3, 7, 0, nullptr,
                                 parameters, nullptr));
    std::vector<uint32_t> got = output.read();
    for (uint32_t g = 0; g < groups; ++g)
      for (uint32_t i = 0; i < items; ++i)
        REQUIRE(got[g * items + i] ==
                (i % 5 | i / 5 % 3 << 8 | i / 15 << 16 | (g / 2 % 3) << 24));
  }
}

TEST_CASE("dynamic LDS, by a packed argument buffer", "[group]") {
  for (std::string level : levels) {
    Module module("exec_group." + level);
    Buffer<uint32_t> output(1000);
    struct {
      uint32_t *out;
      uint32_t count;
    } arguments = {output.get(), 1000};
    size_t size = 12;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                     &size, HIP_LAUNCH_PARAM_END};
    HIP_OK(hipModuleLaunchKernel(module.function("dynamic_lds"), 1, 1, 1, 64, 1, 1, 4000,
                                 nullptr, nullptr, extra));
    std::vector<uint32_t> got = output.read();
    for (uint32_t i = 0; i < 1000; ++i)
      REQUIRE(got[i] == (999 - i) * 7);
    size = 8;
    CHECK(hipModuleLaunchKernel(module.function("dynamic_lds"), 1, 1, 1, 64, 1, 1, 4000,
                                nullptr, nullptr, extra) == hipErrorInvalidValue);
  }
}

TEST_CASE("constants and device globals", "[group]") {
  for (std::string level : levels) {
    Module module("exec_group." + level);
    hipDeviceptr_t global;
    size_t bytes;
    HIP_OK(hipModuleGetGlobal(&global, &bytes, module.get(), "deviceCounter"));
    CHECK(bytes == 4);
    uint32_t value = 100;
    HIP_OK(hipMemcpyHtoD(global, &value, 4));
    std::vector<uint32_t> in = randomValues(64);
    Buffer<uint32_t> output(in);
    HIP_OK(module.run("constants", 1, 64, output.get()));
    const uint32_t table[] = {3, 1, 4, 1, 5, 9, 2, 6};
    std::vector<uint32_t> got = output.read();
    for (int l = 0; l < 64; ++l)
      CHECK(got[l] == table[in[l] & 7] + 100);
  }
}

TEST_CASE("a widened scalar load may run over the end of an allocation", "[group]") {
  for (std::string level : levels) {
    Module module("exec_group." + level);
    std::vector<uint8_t> in(25, 7);
    in[24] = 200;
    Buffer<uint8_t> input(in);
    Buffer<uint32_t> output(64);
    HIP_OK(module.run("last_byte", 1, 64, input.get(), output.get()));
    CHECK(output.read() == std::vector<uint32_t>(64, 200));
  }
}

TEST_CASE("a workgroup that waits for all others does not starve them", "[group]") {
  for (std::string level : levels) {
    constexpr uint32_t groups = 40;
    Module module("exec_group." + level);
    Buffer<uint32_t> flag(std::vector<uint32_t>{0}), output(groups);
    HIP_OK(module.run("grid_wait", groups, 64, flag.get(), groups, output.get()));
    CHECK(output.read() == std::vector<uint32_t>(groups, 1));
  }
}
