// What a compute unit issues: loops whose clocks can be counted by hand.
//
// A turn of such a loop ends with s_add, s_cmp and s_cbranch. With one wave
// they go one after the other: 4 + 4 clk, and 16 until the instruction behind a
// taken branch (rates.def).
#include "tests/sim/timing/profiled.h"

#include <fstream>
#include <iterator>

namespace {

constexpr unsigned units = 304;
constexpr double mhz = 2100;

} // namespace

TEST_CASE("an MFMA loop reaches the peak", "[issue]") {
  Module module("time_issue.gfx942");
  Buffer<float> out(1024);
  // 8 waves, two a SIMD: while one is at its branch the other issues, so that
  // the matrix unit never waits. 200 turns of 16 MFMAs of 16 clk, twice:
  // 102400 clk = 48.8 us; the peak is 1307 TFLOP/s.
  Json k = profiled(module, "matrix", units, 512, 200u, out.get());
  CHECK(k["bound"] == "matrix");
  CHECK(kernelUs(k) >= 102400 / mhz);
  CHECK(kernelUs(k) < 1.04 * 102400 / mhz);
  CHECK(double(k["matrix_tflops"]) > 1255);
  CHECK(double(k["matrix_tflops"]) <= 1308);
  CHECK(double(k["roofline"]["matrix_peak_tflops"]) == Approx(1307.4).epsilon(0.001));
  // 304 workgroups x 8 waves x 200 turns x 16 x 8192 FLOP.
  CHECK(double(k["counters"]["matrix_flops"]) == Approx(304.0 * 8 * 200 * 16 * 8192));
}

TEST_CASE("chained and dependent MFMAs", "[issue]") {
  Module module("time_issue.gfx942");
  Buffer<float> out(256);
  // One wave: 15 times 16 clk, then the last MFMA, s_cbranch 4 clk later and
  // 16 clk for the branch: 260. s_add and s_cmp stand before the first MFMA:
  // 268.
  Json chain = profiled(module, "matrix_chain", 1, 64, 50u, out.get());
  CHECK(turnClk(chain) == Approx(268));
  Json independent = profiled(module, "matrix", 1, 64, 50u, out.get());
  CHECK(turnClk(independent) == Approx(268));
  // Result as an operand: passes + 4 = 8 quads, 32 clk each.
  Json dependent = profiled(module, "matrix_dependent", 1, 64, 50u, out.get());
  CHECK(turnClk(dependent) == Approx(16 * 32).margin(32));
  CHECK(dependent["waits"]["by_reason_clk"].contains("result"));
}

TEST_CASE("LDS bank conflicts cost their degree", "[issue]") {
  Module module("time_issue.gfx942");
  Buffer<unsigned> out(512);
  // Lane l reads dword l * stride: of 32 lanes, `stride` share a bank. A read
  // is two groups of 32 lanes: 2 * stride clk. 8 waves of 16 reads a turn:
  // 256 * stride clk a turn, LDS always busy (64 clk of latency are hidden).
  for (unsigned stride : {1u, 2u, 8u, 32u}) {
    Json k = profiled(module, "lds", 1, 512, 40u, stride, out.get());
    INFO("stride " << stride);
    CHECK(k["bound"] == "LDS");
    CHECK(turnClk(k) == Approx(256.0 * stride).epsilon(0.05));
    // 40 turns x 8 waves x 16 reads x 2 * (stride - 1) clk too many.
    CHECK(double(k["counters"]["lds_bank_conflict_clk"]) == 40.0 * 8 * 16 * 2 * (stride - 1));
  }
}

TEST_CASE("padding and sleep", "[issue]") {
  Module module("time_issue.gfx942");
  Buffer<unsigned> out(64);
  // 64 s_nop 7 of 8 wait states (32 clk), then 4 + 4 + 16.
  CHECK(turnClk(profiled(module, "padding", 1, 64, 20u, out.get())) == Approx(2048 + 24));
  // s_sleep 10: 640 clk and its own 4.
  CHECK(turnClk(profiled(module, "sleeping", 1, 64, 20u, out.get())) == Approx(644 + 24));
}

TEST_CASE("vector rates", "[issue]") {
  Module module("time_issue.gfx942");
  Buffer<unsigned> out(64);
  // Quarter rate: 15 * 16, then the branch (4, 16) and s_add, s_cmp: 268.
  CHECK(turnClk(profiled(module, "transcendental", 1, 64, 20u, out.get())) == Approx(268));
  // Full rate: s_nop 0 and 16 of 4 clk, then 24.
  CHECK(turnClk(profiled(module, "vector", 1, 64, 20u, out.get())) == Approx(68 + 24));
  // Two slots: 15 * 8 + 4, then 24; the option gives the datasheet's rate.
  CHECK(turnClk(profiled(module, "packed", 1, 64, 20u, out.get())) == Approx(124 + 24));
  hipsim_profile_options options = {};
  options.packed_f32_overlaps = 1;
  Json fast = profileOf([&] { HIP_OK(module.run("packed", 1, 64, 20u, out.get())); }, options);
  CHECK(turnClk(fast["kernels"][0]) == Approx(64 + 24));
}

TEST_CASE("vector work of many waves is vector bound", "[issue]") {
  Module module("time_issue.gfx942");
  Buffer<unsigned> out(1024);
  // 4 waves a SIMD, 16 operations of 4 clk: 256 clk a turn of all four.
  Json k = profiled(module, "vector", units, 1024, 100u, out.get());
  CHECK(k["bound"] == "vector");
  CHECK(kernelUs(k) == Approx(100 * 256 / mhz).epsilon(0.08));
}

TEST_CASE("wave quantisation", "[issue]") {
  Module module("time_issue.gfx942");
  Buffer<float> out(1024);
  // 16 waves a workgroup, two workgroups a compute unit: 608 fit at a time.
  // One more than a round takes a round more of one workgroup's time.
  double one = kernelUs(profiled(module, "matrix", units, 1024, 50u, out.get()));
  double two = kernelUs(profiled(module, "matrix", 2 * units, 1024, 50u, out.get()));
  double more = kernelUs(profiled(module, "matrix", 2 * units + 1, 1024, 50u, out.get()));
  CHECK(two == Approx(2 * one).epsilon(0.05));
  CHECK(more == Approx(3 * one).epsilon(0.05));
}

TEST_CASE("an s_nop patched into the hot loop", "[issue]") {
  std::ifstream file(HIPSIM_TEST_KERNELS "/time_issue.gfx942.hsaco", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  auto turn = [&] {
    hipModule_t module;
    hipFunction_t function;
    HIP_OK(hipModuleLoadData(&module, bytes.data()));
    HIP_OK(hipModuleGetFunction(&function, module, "vector"));
    Buffer<unsigned> out(64);
    unsigned turns = 20, *pointer = out.get();
    void *parameters[] = {&turns, &pointer};
    Json document = profileOf([&] {
      HIP_OK(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
    });
    HIP_OK(hipModuleUnload(module));
    return std::pair(turnClk(document["kernels"][0]),
                     std::string(document["kernels"][0]["code_object_sha256"]));
  };
  auto before = turn();
  // s_nop 0 and the first v_add_u32 behind it occur together only there.
  const unsigned char nop[] = {0x00, 0x00, 0x80, 0xbf};
  size_t patched = 0;
  for (size_t at = 0; at + 8 <= bytes.size(); at += 4)
    if (std::memcmp(bytes.data() + at, nop, 4) == 0 && (bytes[at + 7] & 0xfe) == 0x68) {
      bytes[at] = 0x0f; // s_nop 15
      ++patched;
    }
  REQUIRE(patched == 1);
  auto after = turn();
  CHECK(after.first - before.first == Approx(60)); // 15 more wait states.
  CHECK(after.second != before.second);
}

TEST_CASE("gfx950 has its own rates", "[.gfx950]") {
  Module module("time_issue.gfx950");
  Buffer<float> out(512);
  // 16x16x32 bf16 in 16 clk on 256 units at 2.4 GHz: 2516 TFLOP/s.
  Json k = profiled(module, "matrix", 256, 512, 200u, out.get());
  CHECK(k["bound"] == "matrix");
  CHECK(double(k["roofline"]["matrix_peak_tflops"]) == Approx(2516.6).epsilon(0.001));
  CHECK(double(k["matrix_tflops"]) > 0.96 * 2516);
  CHECK(double(k["matrix_tflops"]) <= 2517);
  Module memory("time_memory.gfx950");
  constexpr unsigned groups = 16384;
  Buffer<unsigned> in(groups * 1024), copied(groups * 1024);
  Json copy = profiled(memory, "copy16", groups, 256, in.get(), copied.get());
  CHECK(copy["bound"] == "HBM");
  CHECK(double(copy["hbm_tb_s"]) == Approx(7.2).epsilon(0.08));
  CHECK(double(copy["hbm_tb_s"]) <= 7.2001);
}
