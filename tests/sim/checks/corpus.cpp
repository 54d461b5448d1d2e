// The table of kernels, and launching one of them.
#include "tests/sim/checks/corpus.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <fstream>
#include <random>

using namespace hipsim::test;

namespace {

using A = KernelArgumentValue;
constexpr A words(uint64_t bytes) { return {A::Words, bytes}; }
constexpr A floats(uint64_t bytes) { return {A::Floats, bytes}; }
constexpr A zeros(uint64_t bytes) { return {A::Zeros, bytes}; }
constexpr A scalar(uint64_t value) { return {A::Scalar, value}; }
constexpr A scalar64(uint64_t value) { return {A::Scalar64, value}; }

KernelCase matrixCase(const char *name, uint64_t ab, uint64_t cd) {
  return {"exec_matrix", name, 1, 64, 0,
          {floats(64 * ab), floats(64 * ab), floats(64 * cd), zeros(64 * cd)}};
}

std::vector<uint8_t> contents(const A &a, std::mt19937 &random) {
  std::vector<uint8_t> bytes(a.amount);
  for (size_t i = 0; i + 4 <= bytes.size() && a.kind != A::Zeros; i += 4) {
    uint32_t value = random();
    if (a.kind == A::Floats) // f16, bf16 and f32 of moderate size.
      value = (value & 0x83ff83ff) | 0x3c003c00;
    std::memcpy(&bytes[i], &value, 4);
  }
  return bytes;
}

} // namespace

const std::vector<KernelCase> &hipsim::test::corpus() {
  static const std::vector<KernelCase> cases = {
      {"chk_pipeline", "prefetch", 2, 256, 0, {words(8 * 4096), zeros(8192)}},
      {"chk_pipeline", "double_buffer", 2, 256, 0, {words(8 * 4096), zeros(8192)}},
      {"chk_pipeline", "single_buffer", 2, 256, 0, {words(8 * 1024), zeros(2048)}},
      {"chk_pipeline", "matrix_tile", 2, 256, 0, {floats(8 * 2048), floats(16 * 512), zeros(8192)}},
      {"chk_pipeline", "staged", 2, 256, 0, {words(8 * 1024), zeros(2048)}},
      {"chk_pipeline", "histogram", 2, 256, 0, {words(4096), zeros(2048)}},
      {"chk_pipeline", "reduce", 2, 1024, 0, {words(8192), zeros(8192)}},
      {"exec_group", "lds_reduce", 2, 256, 0, {words(2048), zeros(8)}},
      {"exec_group", "lds_wide", 1, 256, 0, {words(4096), zeros(4096)}},
      {"exec_group", "atomics", 2, 128, 0, {zeros(20), zeros(4), zeros(8), zeros(1024)}, true},
      {"exec_group", "lanes", 1, 64, 0, {words(256), zeros(4096)}},
      {"exec_group", "buffers", 1, 64, 0, {words(1024), zeros(2048), scalar(810), scalar(1900)}},
      {"exec_group", "load_to_lds", 1, 64, 0, {words(256), zeros(256)}},
      {"exec_group", "calls", 1, 64, 0, {words(256), zeros(256)}},
      {"exec_group", "flat", 1, 64, 0, {words(768), scalar(0)}},
      {"exec_group", "flat", 1, 64, 0, {words(768), scalar(1)}},
      {"exec_group", "flat", 1, 64, 0, {words(768), scalar(2)}},
      {"exec_group", "shape", 2, 105, 0, {zeros(4 * 210)}},
      {"exec_group", "dynamic_lds", 1, 64, 4000, {zeros(4000), scalar(1000)}},
      {"exec_group", "dynamic_lds", 1, 64, 8192, {zeros(8192), scalar(2048)}},
      {"exec_group", "dynamic_lds", 1, 64, 8192, {zeros(8192), scalar(1984)}},
      {"exec_group", "dynamic_lds", 1, 64, 512, {zeros(512), scalar(128)}},
      {"exec_group", "dynamic_lds", 1, 64, 256, {zeros(160), scalar(40)}},
      {"exec_group", "constants", 1, 64, 0, {words(256)}},
      {"exec_group", "last_byte", 1, 64, 0, {words(25), zeros(256)}},
      {"exec_group", "grid_wait", 3, 64, 0, {zeros(4), scalar(3), zeros(12)}},
      {"exec_group", "write_at", 1, 64, 0, {zeros(64), scalar64(4)}},
      {"exec_group", "read_at", 1, 64, 0, {words(256), zeros(256)}},
      {"exec_cases", "integer_cases", 4, 64, 0, {words(3072), zeros(65536), scalar(256)}},
      {"exec_cases", "float_cases", 4, 64, 0, {floats(3072), zeros(65536), scalar(256)}},
      {"exec_cases", "control_cases", 4, 64, 0, {words(3072), zeros(8192), scalar(256)}},
      {"exec_math", "transcendental", 1, 64, 0, {floats(256), zeros(2048)}},
      {"exec_math", "packed", 1, 64, 0, {floats(512), floats(512), zeros(2048)}},
      {"exec_math", "float8", 4, 64, 0, {floats(1024), zeros(4096)}},
      matrixCase("f32_16x16x8_xf32", 8, 16),
      matrixCase("f32_32x32x4_xf32", 8, 64),
      matrixCase("f32_16x16x16bf16_1k", 8, 16),
      matrixCase("f32_32x32x8f16", 8, 64),
      matrixCase("f32_16x16x4f32", 4, 16),
      matrixCase("i32_16x16x32_i8", 8, 16),
      matrixCase("i32_32x32x16_i8", 8, 64),
      matrixCase("f32_32x32x16_fp8_bf8", 8, 64),
      matrixCase("f64_16x16x4f64", 8, 32),
      matrixCase("f32_32x32x4bf16_1k", 8, 128),
      matrixCase("f32_16x16x4bf16_1k", 8, 64),
      matrixCase("f32_4x4x4bf16_1k", 8, 16),
  };
  return cases;
}

std::vector<uint8_t> hipsim::test::readCode(const KernelCase &c, const std::string &level) {
  std::string path = std::string(HIPSIM_TEST_KERNELS "/") + c.source + "." + level + ".hsaco";
  std::ifstream file(path, std::ios::binary);
  INFO("cannot open " << path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

RunResult hipsim::test::runCase(const KernelCase &c, const std::vector<uint8_t> &code) {
  RunResult result;
  hipModule_t module = nullptr;
  hipFunction_t function = nullptr;
  INFO(c.source << " " << c.kernel << "\n" << hipsimLastReport());
  REQUIRE(hipModuleLoadData(&module, code.data()) == hipSuccess);
  REQUIRE(hipModuleGetFunction(&function, module, c.kernel) == hipSuccess);
  std::mt19937 random(11);
  std::vector<uint64_t> values; // Pointers and scalars; 8 bytes hold either.
  for (const A &a : c.arguments) {
    uint64_t value = a.amount;
    if (a.kind != A::Scalar && a.kind != A::Scalar64) {
      std::vector<uint8_t> bytes = contents(a, random);
      void *pointer = nullptr;
      REQUIRE(hipMalloc(&pointer, bytes.size()) == hipSuccess);
      REQUIRE(hipMemcpy(pointer, bytes.data(), bytes.size(), hipMemcpyHostToDevice) == hipSuccess);
      value = reinterpret_cast<uint64_t>(pointer);
    }
    values.push_back(value);
  }
  std::vector<void *> parameters;
  for (uint64_t &v : values)
    parameters.push_back(&v);
  result.error = hipModuleLaunchKernel(function, c.grid, 1, 1, c.block, 1, 1, c.dynamicLds,
                                       nullptr, parameters.data(), nullptr);
  if (result.error == hipSuccess)
    result.error = hipDeviceSynchronize();
  if (result.error != hipSuccess) {
    result.report = hipsimLastReport();
    REQUIRE(hipDeviceReset() == hipSuccess); // Frees the buffers.
    return result;
  }
  for (size_t i = 0; i < c.arguments.size(); ++i) {
    const A &a = c.arguments[i];
    if (a.kind == A::Scalar || a.kind == A::Scalar64)
      continue;
    void *pointer = reinterpret_cast<void *>(values[i]);
    size_t at = result.memory.size();
    result.memory.resize(at + a.amount);
    REQUIRE(hipMemcpy(&result.memory[at], pointer, a.amount, hipMemcpyDeviceToHost) == hipSuccess);
    REQUIRE(hipFree(pointer) == hipSuccess);
  }
  REQUIRE(hipModuleUnload(module) == hipSuccess);
  return result;
}
