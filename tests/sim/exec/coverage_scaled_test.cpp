// gfx950's f8f6f4 matrix instructions against f64: every pair of formats, both
// shapes, with and without block scales, finite and adversarial operands.
// Run with HIPSIM_ARCH=gfx950 (CMakeLists.txt does).
#include "tests/sim/exec/device.h"
#include "tests/sim/exec/small_formats.h"

#include <cstdlib>

using namespace small_formats;

namespace {

uint32_t seed() {
  const char *text = std::getenv("MOEC_TEST_SEED");
  return text ? uint32_t(std::strtoul(text, nullptr, 0)) : 20250101;
}

enum class Operands { Moderate, Adversarial };

/// A matrix instruction: M x M x K; lanes come in 64 / M groups.
struct Shape {
  unsigned m, k;
  unsigned groups() const { return 64 / m; }
};
constexpr Shape shapes[] = {{16, 128}, {32, 64}};

/// Where element (i, k) lies. 8 bits: a lane's first 16 elements are k = 16 g
/// on, its other 16 lie 16 * groups further; else 32 in a row from k = 32 g.
void place(const Shape &s, const Format &f, unsigned i, unsigned k, unsigned &lane, unsigned &element) {
  unsigned chunk = f.bits() == 8 ? 16 : 32;
  lane = k / chunk % s.groups() * s.m + i;
  element = k % chunk + k / chunk / s.groups() * chunk;
}

struct Matrices {
  std::vector<uint32_t> a, b, scaleA, scaleB;
  std::vector<float> c;
};

uint32_t randomCode(const Format &f, Operands operands, std::mt19937 &random) {
  for (;;) {
    uint32_t code = random() % f.codes();
    if (operands == Operands::Adversarial && random() % 16)
      code = code % 4 | (random() % 2 ? f.signBit() : 0); // Zeros, subnormals.
    if (operands == Operands::Adversarial && random() % 200 == 0)
      return random() % f.codes(); // NaN, infinity, too.
    if (std::isfinite(valueOf(f, code)))
      return code;
  }
}

Matrices makeMatrices(const Shape &s, const Format &fa, const Format &fb, Operands operands, std::mt19937 &random) {
  Matrices m;
  m.a.assign(64 * 8, 0xffffffff);
  m.b = m.a;
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned e = 0; e < 32; ++e) {
      putCode(&m.a[l * 8], e, fa.bits(), randomCode(fa, operands, random));
      putCode(&m.b[l * 8], e, fb.bits(), randomCode(fb, operands, random));
    }
  constexpr uint8_t extreme[] = {0, 1, 126, 127, 128, 253, 254, 255};
  auto scale = [&]() -> uint32_t {
    if (operands == Operands::Moderate)
      return 117 + random() % 20;
    return random() % 8 ? 60 + random() % 130 : extreme[random() % std::size(extreme)];
  };
  for (unsigned l = 0; l < 64; ++l) {
    m.scaleA.push_back(scale() | scale() << 8 | scale() << 16 | scale() << 24);
    m.scaleB.push_back(scale() | scale() << 8 | scale() << 16 | scale() << 24);
  }
  m.c.resize(s.m * s.m);
  for (float &x : m.c)
    x = operands == Operands::Moderate ? float(int(random() % 2001) - 1000) / 8
                                       : std::ldexp(float(random() % 3), int(random() % 250) - 130);
  return m;
}

double scaleValue(uint32_t word, unsigned byte) {
  unsigned code = word >> 8 * byte & 0xff;
  return code == 255 ? NAN : std::ldexp(1.0, int(code) - 127);
}

/// Expects D(i, j) = C + sum of products, scaled by blocks of 32 k.
void check(Module &module, const Shape &s, unsigned a, unsigned b, bool scaled, Operands operands) {
  std::mt19937 random(seed() + a * 5 + b + s.m * 100 + scaled * 7);
  const Format &fa = formats[a], &fb = formats[b];
  std::string kernel = (scaled ? "scaled_" : "plain_") + std::to_string(s.m) + "_" + std::to_string(a) + "_" + std::to_string(b);
  INFO(kernel << " (" << fa.name << " x " << fb.name << "), operands " << int(operands)
              << "\nrerun: MOEC_TEST_SEED=" << seed() << " HIPSIM_ARCH=gfx950 hipsim_exec_test '[.gfx950]'");
  Matrices m = makeMatrices(s, fa, fb, operands, random);
  Buffer<uint32_t> left(m.a), right(m.b), scaleA(m.scaleA), scaleB(m.scaleB);
  Buffer<float> addend(m.c), result(m.c.size());
  HIP_OK(module.run(kernel.c_str(), 1, 64, left.get(), right.get(), addend.get(), result.get(), scaleA.get(), scaleB.get()));
  std::vector<float> got = result.read();
  unsigned registers = s.m * s.m / 64, byteA = (a + b) & 3, byteB = (a + 2 * b + 1) & 3, wrong = 0, finite = 0;
  for (unsigned i = 0; i < s.m; ++i)
    for (unsigned j = 0; j < s.m; ++j) {
      unsigned lane = s.m == 32 ? j + 32 * (i / 4 % 2) : j + 16 * (i / 4);
      unsigned reg = s.m == 32 ? 4 * (i / 8) + i % 4 : i % 4;
      double sum = m.c[lane * registers + reg], magnitude = std::fabs(sum);
      for (unsigned k = 0; k < s.k; ++k) {
        unsigned al, ae, bl, be;
        place(s, fa, i, k, al, ae);
        place(s, fb, j, k, bl, be);
        double product = valueOf(fa, codeAt(&m.a[al * 8], ae, fa.bits())) *
                         valueOf(fb, codeAt(&m.b[bl * 8], be, fb.bits()));
        if (scaled) // The scale of row i and block k / 32 is in lane i + M * block.
          product *= scaleValue(m.scaleA[i + s.m * (k / 32)], byteA) * scaleValue(m.scaleB[j + s.m * (k / 32)], byteB);
        sum += product;
        magnitude += std::fabs(product);
      }
      float value = got[lane * registers + reg];
      // 128 roundings of 2^-24 each: at random about sqrt(128) = 11 of them.
      constexpr double tolerance = 16 * 0x1p-24;
      // At the ends of the range the order of additions decides.
      bool overflow = magnitude > 3.4e38;
      bool good = std::isnan(sum)  ? std::isnan(value) || overflow
                  : overflow       ? !std::isfinite(value) || std::fabs(value) > 1e37 || std::fabs(sum) < 1e38
                                   : std::fabs(double(value) - sum) <= tolerance * magnitude + 1.5e-45;
      finite += std::isfinite(sum);
      if (!good && wrong++ < 5)
        UNSCOPED_INFO("D(" << i << ", " << j << ") = " << value << ", expected " << sum);
    }
  CHECK(wrong == 0);
  CHECK(finite > (operands == Operands::Moderate ? s.m * s.m - 1 : s.m)); // The data tests something.
}

} // namespace

TEST_CASE("f8f6f4 matrix instructions: every pair of formats", "[.gfx950]") {
  Module module("exec_scaled.gfx950");
  for (const Shape &s : shapes)
    for (unsigned a = 0; a < 5; ++a)
      for (unsigned b = 0; b < 5; ++b)
        for (bool scaled : {false, true})
          for (Operands operands : {Operands::Moderate, Operands::Adversarial})
            check(module, s, a, b, scaled, operands);
}

TEST_CASE("every e8m0 scale is 2^(code - 127), 255 is NaN", "[.gfx950]") {
  Module module("exec_scaled.gfx950");
  // A: fp8 one at k = 0 only, B: ones everywhere: D(i, j) = scale A * scale B.
  std::vector<uint32_t> a(64 * 8), b(64 * 8, 0x38383838);
  for (unsigned i = 0; i < 16; ++i)
    a[i * 8] = 0x38;
  Buffer<uint32_t> left(a), right(b);
  Buffer<float> addend(std::vector<float>(256, 0.0f)), result(256);
  for (int code = 0; code < 256; ++code) {
    INFO("scale " << code);
    HIP_OK(module.run("scaled_uniform", 1, 64, left.get(), right.get(), addend.get(), result.get(), code, 127 << 8));
    float value = result.read()[0];
    if (code == 255)
      CHECK(std::isnan(value));
    else
      CHECK(value == std::ldexp(1.0f, code - 127));
  }
}
