// Float modes: rounding set by s_setreg, and kernels that start with f32
// denormals flushed. The host's rounding modes are the reference.
#include "tests/sim/exec/device.h"

#include <cfenv>
#include <cmath>

namespace {

/// Keeps the compiler from evaluating at build time or moving across fesetround.
template <class T> T opaque(T v) {
  volatile T keep = v;
  return keep;
}
bool same(float a, float b) { return std::isnan(a) ? std::isnan(b) : std::memcmp(&a, &b, 4) == 0; }
bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : std::memcmp(&a, &b, 8) == 0; }

float flush(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

/// x to f16 in a rounding mode, by comparison with the neighbours.
float toHalf(float x, int mode) {
  _Float16 nearest = _Float16(x);
  float value = float(nearest);
  if (value == x || std::isnan(x) || std::isinf(x) || mode == FE_TONEAREST)
    return value;
  bool up = mode == FE_UPWARD || (mode == FE_TOWARDZERO && x < 0);
  uint16_t code;
  std::memcpy(&code, &nearest, 2);
  if (up ? value < x : value > x) { // One step towards +inf or -inf.
    bool away = up == !std::signbit(value);
    if ((code & 0x7fff) == 0)
      code = up ? 0x0001 : 0x8001;
    else
      code = uint16_t(away ? code + 1 : code - 1);
  }
  std::memcpy(&nearest, &code, 2);
  return float(nearest);
}

} // namespace

TEST_CASE("arithmetic in the four rounding modes", "[modes]") {
  constexpr unsigned count = 4096;
  std::mt19937 random(20250103);
  std::vector<float> a(count);
  std::vector<double> b(count);
  for (unsigned i = 0; i < count; ++i) {
    a[i] = std::ldexp(float(int32_t(random())), int(random() % 40) - 50);
    b[i] = std::ldexp(double(int32_t(random())) + double(random()) * 0x1p-32, int(random() % 40) - 50);
  }
  a[0] = 1e-40f, a[1] = 1.5f, a[2] = 3e38f, a[3] = 2e38f, a[4] = 70000, a[5] = 0;
  Module module("exec_coverage.gfx942");
  Buffer<float> left(a), single(count * 6);
  Buffer<double> right(b), wide(count * 2);
  constexpr int host[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (uint32_t mode = 0; mode < 4; ++mode) {
    HIP_OK(module.run("rounding", count / 64, 64, left.get(), right.get(), single.get(), wide.get(), mode | mode << 2));
    std::vector<float> f = single.read();
    std::vector<double> d = wide.read();
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; ++i) {
      float x = opaque(a[i]), y = opaque(a[i ^ 1]);
      double p = opaque(b[i]), q = opaque(b[i ^ 1]);
      std::fesetround(host[mode]);
      float sum = opaque(opaque(x) + opaque(y)), product = opaque(opaque(x) * opaque(y));
      float fused = opaque(std::fma(opaque(x), opaque(y), opaque(x))), narrow = opaque(float(opaque(p)));
      double wideSum = opaque(opaque(p) + opaque(q)), wideProduct = opaque(opaque(p) * opaque(q));
      std::fesetround(FE_TONEAREST);
      float half = toHalf(x, host[mode]);
      const float *o = &f[i * 6];
      bool good = same(o[0], sum) && same(o[1], product) && same(o[2], fused) && same(o[3], narrow) &&
                  same(o[4], std::rint(x)) && same(o[5], half) && same(d[i * 2], wideSum) && same(d[i * 2 + 1], wideProduct);
      if (!good && wrong++ < 5)
        UNSCOPED_INFO("mode " << mode << " of " << x << ", " << y << ": " << o[0] << " (" << sum << ") " << o[1] << " (" << product
                              << ") " << o[2] << " (" << fused << ") " << o[3] << " (" << narrow << ") " << o[4] << " " << o[5] << " ("
                              << half << ") " << d[i * 2] << " (" << wideSum << ") " << d[i * 2 + 1] << " (" << wideProduct << ")");
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("f32 denormals flushed", "[modes]") {
  constexpr unsigned count = 4096;
  std::mt19937 random(20250104);
  std::vector<float> in(count);
  for (float &x : in)
    x = std::ldexp(float(int32_t(random())), random() % 2 ? -int(random() % 40) - 140 : -int(random() % 20) - 20);
  Module module("exec_coverage.flush");
  Buffer<float> input(in), output(count * 6);
  HIP_OK(module.run("flushed", count / 64, 64, input.get(), output.get()));
  std::vector<float> got = output.read();
  unsigned wrong = 0, denormal = 0;
  for (unsigned i = 0; i < count; ++i) {
    float x = flush(in[i]), y = flush(in[i ^ 1]);
    denormal += x != in[i];
    float largest = std::fmax(x, y);
    if (x == 0 && y == 0) // +0 is above -0.
      largest = std::signbit(x) && std::signbit(y) ? -0.0f : 0.0f;
    const float expected[] = {flush(x + y), flush(x * y), largest, 0, flush(std::ldexp(x, -3)), flush(float(double(x) * 0.5))};
    for (unsigned k : {0u, 1u, 2u, 4u, 5u})
      if (!same(got[i * 6 + k], expected[k]) && wrong++ < 5)
        UNSCOPED_INFO("output " << k << " of " << in[i] << ", " << in[i ^ 1] << ": " << got[i * 6 + k] << ", expected " << expected[k]);
    // The quotient is within an ulp where it is a normal number.
    float quotient = x / y;
    if (std::isnormal(quotient) && std::isnormal(y) && !(std::fabs(got[i * 6 + 3] - quotient) <= std::fabs(quotient) * 2.5e-7f) && wrong++ < 5)
      UNSCOPED_INFO(in[i] << " / " << in[i ^ 1] << " = " << got[i * 6 + 3] << ", expected " << quotient);
  }
  CHECK(wrong == 0);
  CHECK(denormal > 100);
}
