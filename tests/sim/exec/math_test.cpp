// Transcendentals within an ulp or so, packed f32, 8-bit floats.
#include "tests/sim/exec/device.h"

#include <cmath>

namespace {

/// Distance in units of the last place of `expected`.
double ulps(float got, double expected) {
  if (std::isnan(expected))
    return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(expected) || expected == 0)
    return got == expected ? 0 : 1e9;
  int exponent;
  std::frexp(expected, &exponent);
  return std::fabs(got - expected) / std::ldexp(1.0, exponent - 24);
}

float flush(double x) {
  return std::fabs(x) < 0x1p-126 ? std::copysign(0.0f, float(x)) : float(x);
}

} // namespace

TEST_CASE("transcendental instructions", "[math]") {
  std::mt19937 random(3);
  std::vector<float> in(640);
  for (float &x : in)
    x = float(std::ldexp(double(int32_t(random())) / 0x1p31, int(random() % 16) - 8));
  in[0] = 0, in[1] = -0.0f, in[2] = INFINITY, in[3] = -INFINITY, in[4] = NAN, in[5] = 1e-40f;
  in[6] = 128, in[7] = -127.5f, in[8] = -150, in[9] = 1, in[10] = 3.3e38f;
  Module module("exec_math");
  Buffer<float> input(in), output(in.size() * 8);
  HIP_OK(module.run("transcendental", 10, 64, input.get(), output.get()));
  std::vector<float> out = output.read();
  for (size_t i = 0; i < in.size(); ++i) {
    INFO("input " << i << " = " << in[i]);
    const float *o = out.data() + i * 8;
    double x = flush(in[i]), a = std::fabs(x);
    CHECK(ulps(o[0], flush(std::exp2(x))) <= 1);
    CHECK(ulps(o[1], std::log2(a)) <= 1);
    CHECK(ulps(o[2], flush(1.0 / x)) <= 1);
    CHECK(ulps(o[3], 1.0 / std::sqrt(a)) <= 1);
    if (std::isfinite(in[i]))
      CHECK(std::fabs(o[4] - std::sin((x - std::floor(x)) * 2 * M_PI)) < 1e-6);
    if (std::isfinite(in[i]))
      CHECK(std::fabs(o[5] - std::cos((x - std::floor(x)) * 2 * M_PI)) < 1e-6);
    CHECK(ulps(o[6], float(std::exp2(double(in[i])))) <= 1);
    if (in[i] == in[i])
      CHECK(o[7] == std::fmin(std::fmax(in[i], -448.0f), 448.0f));
  }
}

TEST_CASE("packed f32", "[math]") {
  std::mt19937 random(4);
  std::vector<float> a(128), b(128);
  for (size_t i = 0; i < 128; ++i)
    a[i] = float(int(random() % 1000)) / 7, b[i] = float(int(random() % 1000)) / -3;
  Module module("exec_math");
  Buffer<float> left(a), right(b), output(512);
  HIP_OK(module.run("packed", 1, 64, left.get(), right.get(), output.get()));
  std::vector<float> got = output.read();
  for (size_t i = 0; i < 128; ++i) {
    size_t lane = i / 2, part = i % 2;
    const float *o = got.data() + lane * 8 + part;
    CHECK(o[0] == std::fma(a[i], b[i], 1.5f));
    CHECK(o[2] == a[i] * 2 + b[i ^ 1]);
    CHECK(o[4] == -a[i] * b[lane * 2]);
    CHECK(o[6] == a[i] + 3.25f);
  }
}

TEST_CASE("8-bit floats: every code, and rounding to nearest even", "[math]") {
  // FNUZ: e4m3 with bias 8, e5m2 with bias 16, 0x80 is NaN, no infinities.
  auto value = [](unsigned code, int m, int bias) -> double {
    if (code == 0x80)
      return NAN;
    int e = int(code >> m) & ((1 << (7 - m)) - 1), f = int(code) & ((1 << m) - 1);
    double v = e ? std::ldexp(f + (1 << m), e - bias - m) : std::ldexp(f, 1 - bias - m);
    return code & 0x80 ? -v : v;
  };
  // The nearest code by search; ties go to the even one; too large is NaN.
  auto nearest = [&](float x, int m, int bias) -> unsigned {
    unsigned best = 0;
    double largest = value(0x7f, m, bias), magnitude = std::fabs(double(x));
    // Beyond half of the step above the largest.
    double step = largest - value(0x7e, m, bias);
    if (std::isnan(x) || magnitude >= largest + step / 2)
      return 0x80;
    for (unsigned c = 0; c < 128; ++c) {
      double d = std::fabs(value(c, m, bias) - magnitude), e = std::fabs(value(best, m, bias) - magnitude);
      if (d < e || (d == e && !(c & 1)))
        best = c;
    }
    return best && std::signbit(x) ? best | 0x80 : best;
  };
  std::mt19937 random(5);
  std::vector<float> in(256);
  for (size_t i = 0; i < 256; ++i)
    in[i] = i < 64 ? float(value(unsigned(i) * 2, 3, 8) + value(unsigned(i) * 2 + 1, 3, 8)) / 2
                   : float(std::ldexp(double(int32_t(random())) / 0x1p31, int(random() % 28) - 16));
  in[80] = 0, in[81] = -0.0f, in[82] = NAN, in[83] = INFINITY, in[84] = 240, in[85] = -250, in[86] = 57344;
  Module module("exec_math");
  Buffer<float> input(in);
  Buffer<uint32_t> output(1024);
  HIP_OK(module.run("float8", 4, 64, input.get(), output.get()));
  std::vector<uint32_t> got = output.read();
  for (unsigned i = 0; i < 256; ++i) {
    INFO("code or input " << i << " = " << in[i]);
    float fp8, bf8;
    std::memcpy(&fp8, &got[i * 4], 4);
    std::memcpy(&bf8, &got[i * 4 + 1], 4);
    double want8 = value(i, 3, 8), wantb = value(i, 2, 16);
    CHECK((fp8 == want8 || (std::isnan(fp8) && std::isnan(want8))));
    CHECK((bf8 == wantb || (std::isnan(bf8) && std::isnan(wantb))));
    unsigned pair8 = nearest(in[i], 3, 8) | nearest(in[i ^ 1], 3, 8) << 8;
    unsigned pairb = nearest(in[i], 2, 16) | nearest(in[i ^ 1], 2, 16) << 8;
    CHECK(got[i * 4 + 2] == (0xabcd | pair8 << 16)); // The low half is kept.
    CHECK(got[i * 4 + 3] == (0x12340000 | pairb));
  }
}
