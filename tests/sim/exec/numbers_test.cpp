// gfx950's conversions of small floats: whole tables by their definition
// (small_formats.h), encoders around every boundary between two codes.
// Run with HIPSIM_ARCH=gfx950 (CMakeLists.txt does).
#include "tests/sim/exec/device.h"
#include "tests/sim/exec/small_formats.h"

#include <algorithm>

using namespace small_formats;

namespace {

const Format &fp8 = formats[0], &bf8 = formats[1], &fp6 = formats[2], &bf6 = formats[3], &fp4 = formats[4];

float floatOf(uint32_t u) { float f; std::memcpy(&f, &u, 4); return f; }
float halfOf(uint16_t u) { _Float16 h; std::memcpy(&h, &u, 2); return float(h); }
float brainOf(uint32_t u) { return floatOf(u << 16); }
bool same(float got, double want) {
  return std::isnan(want) ? std::isnan(got) : got == float(want) && std::signbit(got) == std::signbit(float(want));
}
bool sameHalf(float got, double want) {
  return std::isnan(want) ? std::isnan(got) : got == float(_Float16(float(want)));
}
/// The scale of exponent field e; e = 255 is NaN.
double scaleValue(unsigned e) { return e == 255 ? NAN : std::ldexp(1.0, int(e) - 127); }

/// Values around every boundary between two codes of f, times 2^e.
std::vector<float> boundaries(const Format &f, int e) {
  std::vector<float> in = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-45f, 3e38f, -1e-30f};
  for (unsigned c = 0; c <= largestFinite(f); ++c) {
    double here = valueOf(f, c), next = c < largestFinite(f) ? valueOf(f, c + 1) : 2 * here - valueOf(f, c - 1);
    float middle = float(std::ldexp((here + next) / 2, e));
    for (float x : {float(std::ldexp(here, e)), middle, std::nextafterf(middle, 0), std::nextafterf(middle, INFINITY)}) {
      in.push_back(x);
      in.push_back(-x);
    }
  }
  while (in.size() % 64)
    in.push_back(float(in.size()) / 3);
  return in;
}

} // namespace

TEST_CASE("every fp8, bf8 and fp4 code to f32, f16 and bf16", "[.gfx950]") {
  Module module("exec_numbers.gfx950");
  Buffer<uint32_t> output(256 * 8);
  for (unsigned e : {0u, 1u, 110u, 126u, 127u, 130u, 254u, 255u}) {
    HIP_OK(module.run("decode_codes", 4, 64, output.get(), floatOf(e << 23)));
    std::vector<uint32_t> got = output.read();
    double scale = scaleValue(e);
    for (unsigned i = 0; i < 256; ++i) {
      INFO("code " << i << ", scale exponent " << e);
      const uint32_t *o = &got[i * 8];
      double eight = valueOf(fp8, i) * scale, brain = valueOf(bf8, i) * scale;
      CHECK(same(floatOf(o[0]), eight));
      CHECK(same(floatOf(o[1]), brain));
      CHECK(same(floatOf(o[2]), valueOf(fp4, i & 15) * scale));
      CHECK(same(floatOf(o[3]), valueOf(fp4, i >> 4) * scale));
      CHECK(same(floatOf(o[4]), eight)); // Byte 2 is the low one of half 1.
      CHECK(sameHalf(halfOf(uint16_t(o[5])), eight));
      float b = brainOf(o[6] & 0xffff);
      if (std::isfinite(brain) && std::fabs(brain) > 0x1p-120 && std::fabs(brain) < 0x1p127)
        CHECK(b == brain);
      CHECK(std::isnan(b) == std::isnan(brain));
      CHECK(sameHalf(halfOf(uint16_t(o[7] >> 16)), eight));
      CHECK((o[7] & 0xffff) == 0x3c00); // The other half is kept: 1.
    }
  }
}

TEST_CASE("every fp6 and bf6 code to f32, f16 and bf16", "[.gfx950]") {
  Module module("exec_numbers.gfx950");
  std::vector<uint32_t> in(64 * 6);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned n = 0; n < 32; ++n)
      putCode(&in[l * 6], n, 6, (l + 3 * n) & 63);
  // A vector of six dwords takes eight in memory.
  std::vector<uint32_t> padded(64 * 8);
  for (unsigned l = 0; l < 64; ++l)
    std::copy_n(&in[l * 6], 6, &padded[l * 8]);
  Buffer<uint32_t> input(padded);
  Buffer<float> first(64 * 32), second(64 * 32);
  Buffer<uint16_t> half(64 * 32), brain(64 * 32);
  for (unsigned e : {0u, 100u, 127u, 140u, 255u}) {
    HIP_OK(module.run("decode_six", 1, 64, input.get(), first.get(), second.get(), half.get(), brain.get(), floatOf(e << 23)));
    std::vector<float> a = first.read(), b = second.read();
    std::vector<uint16_t> h = half.read(), r = brain.read();
    for (unsigned i = 0; i < 64 * 32; ++i) {
      unsigned code = (i / 32 + 3 * (i % 32)) & 63;
      INFO("code " << code << ", scale exponent " << e);
      CHECK(same(a[i], valueOf(fp6, code) * scaleValue(e)));
      CHECK(same(b[i], valueOf(bf6, code) * scaleValue(e)));
      CHECK(sameHalf(halfOf(h[i]), valueOf(fp6, code) * scaleValue(e)));
      if (e)
        CHECK(same(brainOf(r[i]), valueOf(bf6, code) * scaleValue(e)));
    }
  }
}

TEST_CASE("f32, f16 and bf16 to fp8, bf8 and fp4: the nearest code", "[.gfx950]") {
  Module module("exec_numbers.gfx950");
  for (const Format *f : {&fp8, &bf8, &fp4})
    for (int e : {0, -20, 30}) {
      std::vector<float> in = boundaries(*f, e);
      Buffer<float> input(in);
      Buffer<uint32_t> output(in.size() * 8);
      HIP_OK(module.run("encode", unsigned(in.size() / 64), 64, input.get(), output.get(), std::ldexp(1.5f, e)));
      std::vector<uint32_t> got = output.read();
      for (size_t i = 0; i < in.size(); ++i) {
        float x = in[i], y = in[i ^ 1];
        INFO(f->name << " input " << x << ", " << y << ", scale 2^" << e); // 1.5: only the exponent counts.
        auto pair = [&](const Format &to, double p, double q, int scale) {
          return nearest(to, std::ldexp(p, -scale)) | nearest(to, std::ldexp(q, -scale)) << to.bits();
        };
        float hx = float(_Float16(x)), hy = float(_Float16(y));
        const uint32_t *o = &got[i * 8];
        CHECK(o[0] == (0x1234 | pair(fp8, x, y, e) << 16));
        CHECK(o[1] == (0x56780000 | pair(bf8, x, y, e)));
        CHECK(o[2] == (0x12005678 | pair(fp4, x, y, e) << 16));
        CHECK(o[3] == (0x56780000 | pair(fp8, hx, hy, e)));
        auto toBrain = [](float v) {
          uint32_t u;
          std::memcpy(&u, &v, 4);
          return std::isnan(v) ? v : floatOf((u + 0x7fff + (u >> 16 & 1)) & 0xffff0000);
        };
        float bx = toBrain(x), by = toBrain(y);
        CHECK(o[4] == (0x1234 | pair(bf8, bx, by, e) << 16));
        CHECK(o[5] == (0x00345678 | pair(fp4, hx, hy, e) << 24));
        CHECK(o[6] == (0xabcd | pair(fp8, x, y, 0) << 16));
        CHECK(o[7] == (0x12340000 | pair(bf8, x, y, 0)));
      }
    }
}

TEST_CASE("f32 and f16 to fp6 and bf6: the nearest code", "[.gfx950]") {
  Module module("exec_numbers.gfx950");
  for (const Format *f : {&fp6, &bf6}) {
    std::vector<float> in = boundaries(*f, 3);
    in.resize(in.size() / 2048 * 2048 + 2048, 1.0f); // 64 lanes of 32.
    Buffer<float> input(in);
    Buffer<uint32_t> output(in.size() / 32 * 4 * 8);
    HIP_OK(module.run("encode_six", unsigned(in.size() / 2048), 64, input.get(), output.get(), 8.0f));
    std::vector<uint32_t> got = output.read();
    for (size_t lane = 0; lane < in.size() / 32; ++lane)
      for (unsigned n = 0; n < 32; ++n) {
        const float *v = &in[lane * 32];
        const uint32_t *o = &got[lane * 32];
        INFO(f->name << " lane " << lane << " element " << n << " = " << v[n]);
        CHECK(codeAt(o, n, 6) == nearest(fp6, std::ldexp(v[n / 2 + 16 * (n % 2)], -3)));
        CHECK(codeAt(o + 8, n, 6) == nearest(bf6, std::ldexp(v[n], -3)));
        CHECK(codeAt(o + 16, n, 6) == nearest(fp6, std::ldexp(float(_Float16(v[n])), -3)));
        // A random number of zero cuts off: never beyond the value.
        double cut = valueOf(fp6, codeAt(o + 24, n, 6));
        if (std::isfinite(v[n]))
          CHECK(std::fabs(cut) <= std::fabs(std::ldexp(v[n], -3)));
      }
  }
}

TEST_CASE("stochastic rounding goes up as often as the fraction says", "[.gfx950]") {
  Module module("exec_numbers.gfx950");
  constexpr unsigned count = 4096; // Random numbers i * 2^20 cover all evenly.
  Buffer<uint32_t> output(count * 4);
  for (float x : {1.03f, 5.7f, 0.011f, -2.4f, 3.0f}) {
    HIP_OK(module.run("stochastic", count / 64, 64, output.get(), x * 4, 4.0f));
    std::vector<uint32_t> got = output.read();
    auto average = [&](const Format &f, unsigned output, unsigned byte, unsigned kept, double value) {
      double sum = 0;
      for (unsigned i = 0; i < count; ++i) {
        uint32_t word = got[i * 4 + output];
        // LLVM 22 does not tie the old value of the packed fp4 form.
        if (&f != &fp4)
          CHECK(((word ^ 0x12345678) & ~(0xffu << 8 * byte)) == 0);
        sum += valueOf(f, word >> 8 * byte & kept);
      }
      INFO(f.name << " of " << value);
      CHECK(std::fabs(sum / count - value) < std::fabs(value) / 1000 + 1e-4);
    };
    average(fp8, 0, 1, 0xff, x);
    average(bf8, 1, 3, 0xff, double(float(_Float16(x * 4))) / 4);
    average(fp4, 2, 0, 0xf, x);
    for (unsigned i = 0; i < count; ++i) {
      uint32_t state = (i << 20) + i;
      CHECK(got[i * 4 + 3] == (state << 1 ^ (state >> 31) * 0xc5));
    }
  }
}
