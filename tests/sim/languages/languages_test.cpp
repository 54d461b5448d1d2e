// Kernels in OpenCL C, C++ and HIP at every level of optimisation, for the
// architecture of HIPSIM_ARCH: what other front ends emit runs.
#include "tests/sim/exec/device.h"

#include <cstdlib>

namespace {

const char *levels[] = {"O0", "O1", "O2", "O3", "Os", "Oz"};

std::string objectOf(const char *language, const std::string &level) {
  const char *arch = std::getenv("HIPSIM_ARCH");
  return std::string(language) + "." + (arch && *arch ? arch : "gfx942") + "." + level;
}

template <class T, class F> std::vector<T> made(size_t count, F f) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = T(f(i));
  return values;
}

/// Launches with dynamic LDS, which Module::run has not.
template <class... A>
hipError_t runWithLds(Module &module, const char *name, unsigned grid, unsigned lds, A... arguments) {
  void *parameters[] = {static_cast<void *>(&arguments)...};
  HIP_OK(hipModuleLaunchKernel(module.function(name), grid, 1, 1, 64, 1, 1, lds, nullptr, parameters, nullptr));
  return hipDeviceSynchronize();
}

} // namespace

TEST_CASE("OpenCL: vectors, swizzles, constants", "[languages]") {
  constexpr size_t count = 100;
  std::vector<float> in = made<float>(128 * 4, [](size_t i) { return float(i) * 0.5f - 20; });
  const float weights[] = {0.5f, -1.0f, 2.0f, 8.0f};
  for (const char *level : levels) {
    INFO(level);
    Module module(objectOf("cl", level));
    Buffer<float> input(in), output(128 * 4);
    HIP_OK(module.run("swizzle", 2, 64, input.get(), output.get(), 1.5f, uint32_t(count)));
    std::vector<float> out = output.read();
    for (size_t i = 0; i < count * 4; ++i)
      REQUIRE(out[i] == 1.5f * in[i / 4 * 4 + 3 - i % 4] + weights[i % 4]);
    CHECK(out[count * 4] != out[count * 4]); // Untouched: NaN.
  }
}

TEST_CASE("OpenCL: local memory as an argument", "[languages]") {
  std::vector<int> in = made<int>(192, [](size_t i) { return i * 7 - 5; });
  for (const char *level : levels) {
    INFO(level);
    Module module(objectOf("cl", level));
    Buffer<int> input(in), output(192);
    // The argument is an offset in LDS; the kernel has no static LDS.
    HIP_OK(runWithLds(module, "reverse_local", 3, 256, input.get(), output.get(), uint32_t(0)));
    std::vector<int> out = output.read();
    for (size_t i = 0; i < 192; ++i)
      REQUIRE(out[i] == in[i / 64 * 64 + 63 - i % 64]);
  }
}

TEST_CASE("OpenCL: local and global atomics", "[languages]") {
  constexpr uint32_t perItem = 9, groups = 4;
  std::vector<uint8_t> in = made<uint8_t>(groups * 64 * perItem, [](size_t i) { return i * i * 3 >> 2; });
  std::vector<uint32_t> want(256);
  for (uint8_t v : in)
    ++want[v];
  for (const char *level : levels) {
    INFO(level);
    Module module(objectOf("cl", level));
    Buffer<uint8_t> input(in);
    Buffer<uint32_t> bins(std::vector<uint32_t>(256, 0));
    HIP_OK(module.run("histogram", groups, 64, input.get(), bins.get(), perItem));
    CHECK(bins.read() == want);
  }
}

TEST_CASE("OpenCL: generic pointers to three address spaces", "[languages]") {
  std::vector<int> in = made<int>(128 * 4, [](size_t i) { return i * 13 % 101; });
  for (const char *level : levels) {
    INFO(level);
    Module module(objectOf("cl", level));
    Buffer<int> input(in), output(128);
    HIP_OK(module.run("generic_pointers", 2, 64, input.get(), output.get()));
    std::vector<int> out = output.read();
    for (size_t i = 0; i < 128; ++i) {
      int sum = 0;
      for (size_t k = 0; k < 4; ++k)
        sum = sum * 3 + in[i * 4 + k] + (i % 3 == 1 ? 1 : 0);
      REQUIRE(out[i] == sum);
    }
  }
}

TEST_CASE("OpenCL: a struct by value, half and double", "[languages]") {
  struct alignas(16) Parameters {
    int8_t small;
    _Float16 scale;
    alignas(16) int offset[4];
    double wide;
  } p = {-3, _Float16(0.75f), {6, 7, 5, 0}, 3.0};
  static_assert(sizeof(Parameters) == 48);
  std::vector<_Float16> in(64);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = _Float16(float(i) * 1.7f);
  for (const char *level : levels) {
    INFO(level);
    Module module(objectOf("cl", level));
    Buffer<_Float16> input(in);
    Buffer<double> output(64);
    HIP_OK(module.run("by_value", 1, 64, p, input.get(), output.get()));
    std::vector<double> out = output.read();
    for (size_t i = 0; i < 64; ++i) {
      // Rounded to half after each operation.
      _Float16 product = _Float16(float(in[i]) * float(p.scale));
      _Float16 sum = _Float16(float(product) + float(p.small));
      REQUIRE(out[i] == double(sum) / p.wide + 37.0); // 6 * 7 - 5
    }
  }
}

TEST_CASE("C++: templates and lambdas", "[languages]") {
  constexpr uint32_t rounds = 5;
  auto mixed = [](uint32_t v) {
    uint32_t factor[7] = {1};
    for (int n = 1; n <= 6; ++n)
      factor[n] = factor[n - 1] * 31 + 7;
    for (uint32_t k = 0; k < rounds; ++k) {
      uint32_t x = v + k, scale = 1;
      for (int n = 6; n >= 1; --n) { // Mixer<6> first, its factor applied last.
        x ^= x >> n;
        scale *= factor[n];
      }
      v = x * scale + rounds;
    }
    return v;
  };
  std::vector<uint32_t> in = made<uint32_t>(128, [](size_t i) { return i * 2654435761u; });
  for (const char *level : levels) {
    INFO(level);
    Module module(objectOf("cpp", level));
    Buffer<uint32_t> input(in), output(128);
    HIP_OK(module.run("cpp_mix", 2, 64, input.get(), output.get(), rounds));
    std::vector<uint32_t> out = output.read();
    for (size_t i = 0; i < 128; ++i)
      REQUIRE(out[i] == mixed(in[i]));
  }
}

TEST_CASE("HIP: shared memory and a device variable", "[languages]") {
  constexpr int count = 150;
  std::vector<float> in = made<float>(count, [](size_t i) { return float(i * i % 97); });
  for (const char *level : levels) {
    INFO(level);
    Module module(objectOf("hip", level));
    Buffer<float> input(in), output(count);
    HIP_OK(module.run("hip_smooth", 3, 64, input.get(), output.get(), count));
    std::vector<float> out = output.read();
    for (int i = 0; i < count; ++i)
      REQUIRE(out[size_t(i)] == in[size_t(std::max(i - 1, 0))] * 0.25f + in[size_t(i)] * 0.5f + in[size_t(std::min(i + 1, count - 1))] * 0.25f);
    hipDeviceptr_t counter;
    size_t bytes;
    HIP_OK(hipModuleGetGlobal(&counter, &bytes, module.get(), "hipCounter"));
    uint32_t value = 0;
    HIP_OK(hipMemcpy(&value, counter, 4, hipMemcpyDeviceToHost));
    CHECK(value == 8); // 5 and three groups.
  }
}
