// gfx950's lane and LDS operations. Run with HIPSIM_ARCH=gfx950.
#include "tests/sim/exec/device.h"
#include "tests/sim/exec/small_formats.h"

#include <algorithm>

using small_formats::codeAt;

TEST_CASE("transposing LDS reads", "[.gfx950]") {
  std::mt19937 random(7);
  std::vector<uint32_t> in(256);
  for (uint32_t &v : in)
    v = random();
  Module module("exec_coverage.gfx950");
  Buffer<uint32_t> input(in), output(64 * 12);
  HIP_OK(module.run("transposed", 1, 64, input.get(), output.get()));
  std::vector<uint32_t> got = output.read();
  // In 16 lanes with E elements each, element n of lane i is element i % E of
  // lane (16 / E) * n + i / E: columns of the 16 x E (E x 16) tile.
  struct { unsigned bits, elements, at, dwords; } forms[] = {{16, 4, 0, 2}, {8, 8, 2, 2}, {4, 16, 4, 2}, {6, 16, 6, 3}};
  for (const auto &f : forms)
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned n = 0; n < f.elements; ++n) {
        unsigned i = l % 16, lane = l / 16 * 16 + 16 / f.elements * n + i / f.elements;
        const uint32_t *source = f.bits == 6 ? &in[lane * 4] : &in[(lane ^ 3) * 2];
        INFO(f.bits << " bits, lane " << l << ", element " << n);
        CHECK(codeAt(&got[l * 12 + f.at], n, f.bits) == codeAt(source, i % f.elements, f.bits));
      }
}

TEST_CASE("lane swaps, truth tables, bf16 conversion, shift and pack", "[.gfx950]") {
  std::mt19937 random(8);
  std::vector<uint32_t> in(128);
  for (uint32_t &v : in)
    v = random();
  Module module("exec_coverage.gfx950");
  Buffer<uint32_t> input(in), output(64 * 12);
  HIP_OK(module.run("lanes950", 1, 64, input.get(), output.get()));
  std::vector<uint32_t> got = output.read();
  for (uint32_t l = 0; l < 64; ++l) {
    INFO("lane " << l);
    uint32_t v = in[l], w = in[64 + l];
    const uint32_t *o = &got[l * 12];
    // The upper half of v and the lower half of w change places, by 16 and 32.
    CHECK(o[0] == (l & 16 ? in[64 + l - 16] : v));
    CHECK(o[1] == (l & 16 ? w : in[l + 16]));
    CHECK(o[2] == (l & 32 ? in[64 + l - 32] : v));
    CHECK(o[3] == (l & 32 ? w : in[l + 32]));
    auto truth = [](uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
      uint32_t result = 0;
      for (unsigned bit = 0; bit < 32; ++bit)
        result |= (table >> ((a >> bit & 1) * 4 + (b >> bit & 1) * 2 + (c >> bit & 1)) & 1) << bit;
      return result;
    };
    CHECK(o[4] == truth(v, w, l, 0x6c));
    CHECK(o[5] == (truth(v, w, v >> 16, 0xd1) & 0xffff));
    auto brain = [](float x) {
      uint32_t u;
      std::memcpy(&u, &x, 4);
      return (u + 0x7fff + (u >> 16 & 1)) >> 16;
    };
    CHECK(o[6] == (brain(float(int32_t(v))) | brain(float(int32_t(w))) << 16));
    auto byte = [](uint32_t x, int shift, int low, int high) {
      return uint32_t(std::min(std::max(int32_t(x) >> shift, low), high)) & 0xff;
    };
    CHECK(o[7] == (byte(v, 9, -128, 127) | byte(w, 9, -128, 127) << 8));
    CHECK(o[8] == (byte(v, 20, 0, 255) | byte(w, 20, 0, 255) << 8));
  }
}

TEST_CASE("16-byte load to LDS", "[.gfx950]") {
  std::vector<uint32_t> in(256);
  for (uint32_t i = 0; i < 256; ++i)
    in[i] = i * 3;
  Module module("exec_coverage.gfx950");
  Buffer<uint32_t> input(in), output(256);
  HIP_OK(module.run("wide_load_to_lds", 1, 64, input.get(), output.get()));
  std::vector<uint32_t> got = output.read();
  for (uint32_t i = 0; i < 256; ++i)
    CHECK(got[i] == in[(i / 4 ^ 5) * 4 + i % 4]);
}
