// Vector operations beyond exec_cases: f16 functions, division, saturation,
// SDWA, relative indexing, swizzles, packed and double atomics.
// The host computes the expected values by the ISA documents' formulas.
#include "tests/sim/exec/device.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace {

uint32_t seed() {
  const char *text = std::getenv("MOEC_TEST_SEED");
  return text ? uint32_t(std::strtoul(text, nullptr, 0)) : 20250102;
}
#define SEED_INFO() INFO("rerun: MOEC_TEST_SEED=" << seed() << " hipsim_exec_test '[coverage]'")

template <class To, class From> To bitsOf(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}
double halfOf(uint16_t u) { return double(bitsOf<_Float16>(u)); }

/// Distance of an f16 from `want` in its units of the last place.
double halfUlps(uint16_t got, double want) {
  if (std::isnan(want))
    return std::isnan(halfOf(got)) ? 0 : 1e9;
  if (std::fabs(want) >= 65520)
    return std::isinf(halfOf(got)) && std::signbit(halfOf(got)) == std::signbit(want) ? 0 : 1e9;
  int exponent = want == 0 ? -20 : std::max(std::ilogb(want), -14);
  return std::fabs(halfOf(got) - want) / std::ldexp(1.0, exponent - 10);
}

template <class T> std::vector<T> divisionOperands(size_t count, std::mt19937 &random) {
  using Limits = std::numeric_limits<T>;
  const T special[] = {0, -T(0), 1, -1, 3, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                       Limits::min(), Limits::max(), -Limits::max(), Limits::denorm_min(), Limits::min() / 8,
                       Limits::max() / 3, Limits::min() * 5, T(1) / 3};
  std::vector<T> values(count);
  for (T &v : values) {
    uint64_t r = uint64_t(random()) << 32 | random();
    if (random() % 8 == 0)
      v = special[random() % std::size(special)];
    else if constexpr (sizeof(T) == 4)
      v = bitsOf<T>(uint32_t(r)); // All exponents.
    else
      v = bitsOf<T>(r);
    if (random() % 4 == 0) // Near one another: moderate quotients.
      v = std::ldexp(T(int64_t(r)), int(random() % 60) - 60);
  }
  return values;
}
template <class T> unsigned countWrong(const std::vector<T> &a, const std::vector<T> &b, const std::vector<T> &q) {
  unsigned wrong = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    T want = a[i] / b[i];
    bool good = std::isnan(want) ? std::isnan(q[i]) : std::memcmp(&want, &q[i], sizeof(T)) == 0;
    if (!good && wrong++ < 5)
      UNSCOPED_INFO(a[i] << " / " << b[i] << " = " << q[i] << ", expected " << want);
  }
  return wrong;
}

void divideEverywhere(const std::string &name) {
  SEED_INFO();
  constexpr unsigned count = 102400;
  std::mt19937 random(seed());
  std::vector<float> a = divisionOperands<float>(count, random), b = divisionOperands<float>(count, random);
  std::vector<double> c = divisionOperands<double>(count, random), d = divisionOperands<double>(count, random);
  Module module(name);
  Buffer<float> left(a), right(b), quotient(count);
  Buffer<double> wideLeft(c), wideRight(d), wideQuotient(count);
  HIP_OK(module.run("division", count / 64, 64, left.get(), right.get(), quotient.get(), wideLeft.get(), wideRight.get(), wideQuotient.get()));
  CHECK(countWrong(a, b, quotient.read()) == 0);
  CHECK(countWrong(c, d, wideQuotient.read()) == 0);
}

} // namespace

TEST_CASE("f32 and f64 division is correctly rounded", "[coverage]") {
  divideEverywhere("exec_coverage.gfx942");
}
TEST_CASE("kernel arguments preloaded into scalar registers", "[coverage]") {
  divideEverywhere("exec_coverage.preload");
}

TEST_CASE("f16 functions within 2 ulp, division correctly rounded", "[coverage]") {
  SEED_INFO();
  std::vector<uint16_t> in(65536); // Every f16, with a random neighbour.
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = uint16_t(i);
  std::shuffle(in.begin(), in.end(), std::mt19937(seed()));
  Module module("exec_coverage.gfx942");
  Buffer<uint16_t> input(in), output(in.size() * 12);
  HIP_OK(module.run("half_functions", 1024, 64, input.get(), output.get()));
  std::vector<uint16_t> got = output.read();
  unsigned wrong = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    double x = halfOf(in[i]), y = halfOf(in[i ^ 1]), turn = (x - std::floor(x)) * 2 * M_PI;
    bool finite = std::isfinite(x);
    int exponent = 0;
    double mantissa = std::frexp(x, &exponent);
    double low = std::min(x, y), high = std::max(x, y);
    double median = std::max(low, std::min(high, 0.5));
    struct { double want, ulps; bool tested = true; } expected[] = {
        {1 / x, 1}, {1 / std::sqrt(x), 1}, {std::sin(turn), 2, finite}, {std::cos(turn), 2, finite},
        {std::exp2(x), 2}, {std::log2(x), 2}, {std::sqrt(x), 1}, {x - std::floor(x), 1, finite},
        {x / y, 0.5}, {x * 8, 0.5}, {mantissa, 0, finite}, {median, 0, !std::isnan(x) && !std::isnan(y)}};
    for (unsigned k = 0; k < 12; ++k) {
      uint16_t g = got[i * 12 + k];
      // Near zero of sine and cosine an absolute error of 2^-11 is meant.
      bool near = (k == 2 || k == 3) && std::fabs(halfOf(g) - expected[k].want) < 0x1p-11;
      if (expected[k].tested && !near && !(halfUlps(g, expected[k].want) <= expected[k].ulps) && wrong++ < 5)
        UNSCOPED_INFO("function " << k << " of " << x << ", " << y << ": " << halfOf(g) << ", expected " << expected[k].want);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("16-bit and packed operations saturate with the clamp bit", "[coverage]") {
  SEED_INFO();
  std::mt19937 random(seed());
  std::vector<uint32_t> in(1024);
  for (uint32_t &v : in)
    v = random() % 3 ? random() : (random() & 0x80018001) ^ 0x7fff7fff;
  Module module("exec_coverage.gfx942");
  Buffer<uint32_t> input(in), output(in.size() * 12);
  HIP_OK(module.run("saturating", 16, 64, input.get(), output.get()));
  std::vector<uint32_t> got = output.read();
  auto clamp = [](int64_t v, int64_t low, int64_t high) { return std::min(std::max(v, low), high); };
  auto u16 = [&](int64_t v) { return uint32_t(clamp(v, 0, 65535)); };
  auto i16 = [&](int64_t v) { return uint32_t(clamp(v, -32768, 32767)) & 0xffff; };
  for (size_t i = 0; i < in.size(); ++i) {
    uint32_t a = in[i], b = in[i ^ 1];
    INFO(std::hex << a << ", " << b);
    int64_t x = a & 0xffff, y = b & 0xffff, p = a >> 16, q = b >> 16;
    int64_t sx = int16_t(x), sy = int16_t(y), sp = int16_t(p), sq = int16_t(q);
    int64_t signedSum = 0x7fff0000, unsignedSum = 0xffff0000;
    for (unsigned k = 0; k < 32; k += 8) {
      signedSum += int8_t(a >> k) * int8_t(b >> k);
      unsignedSum += int64_t(a >> k & 0xff) * (b >> k & 0xff);
    }
    int64_t pairSum = int64_t(int32_t(a & 0x80000000)) + sx * sy + sp * sq;
    const uint32_t *o = &got[i * 12];
    CHECK(o[0] == u16(x + y));
    CHECK(o[1] == u16(x - y));
    CHECK(o[2] == i16(sx + sy));
    CHECK(o[3] == i16(sx - sy));
    CHECK(o[4] == (u16(x + y) | u16(p + q) << 16));
    CHECK(o[5] == (u16(x - y) | u16(p - q) << 16));
    CHECK(o[6] == (i16(sx + sy) | i16(sp + sq) << 16));
    CHECK(o[7] == (i16(sx - sy) | i16(sp - sq) << 16));
    CHECK(int32_t(o[8]) == clamp(signedSum, INT32_MIN, INT32_MAX));
    CHECK(int64_t(o[9]) == clamp(unsignedSum, 0, UINT32_MAX));
    CHECK(int32_t(o[10]) == clamp(pairSum, INT32_MIN, INT32_MAX));
    CHECK(o[11] == u16(x * y + x));
  }
}

TEST_CASE("SDWA selects, extends and merges parts", "[coverage]") {
  SEED_INFO();
  std::mt19937 random(seed());
  std::vector<uint32_t> in(256);
  for (uint32_t &v : in)
    v = random();
  Module module("exec_coverage.gfx942");
  Buffer<uint32_t> input(in), output(in.size() * 8);
  HIP_OK(module.run("sdwa", 4, 64, input.get(), output.get()));
  std::vector<uint32_t> got = output.read();
  for (size_t i = 0; i < in.size(); ++i) {
    uint32_t a = in[i], b = in[i ^ 1], old = 0x11223344;
    INFO(std::hex << a << ", " << b);
    const uint32_t *o = &got[i * 8];
    CHECK(o[0] == ((old & 0xff00ffff) | (((a >> 8 & 0xff) + (b >> 16)) & 0xff) << 16));
    CHECK(o[1] == (uint32_t(int8_t(a >> 24)) + (b & 0xff)) << 16);
    CHECK(o[2] == (b & 0xffff) << (a & 31));
    CHECK(o[3] == (uint32_t(int8_t((a >> 16) - b)) << 8));
    CHECK(o[4] == ((old & 0xffff0000) | (uint32_t(int8_t(a >> 16)) & 0xffff)));
    float sum = float(-halfOf(uint16_t(a >> 16)) + std::fabs(halfOf(uint16_t(b))));
    if (!std::isnan(sum))
      CHECK(o[5] == ((old & 0xffff) | uint32_t(bitsOf<uint16_t>(_Float16(sum))) << 16));
    CHECK(o[6] == ((a & 0xff) < (b >> 8 & 0xff)));
    CHECK(o[7] == bitsOf<uint32_t>(float(a >> 24)));
  }
}

TEST_CASE("registers indexed by a scalar and by a lane's value", "[coverage]") {
  std::vector<uint32_t> in(64 * 16);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = uint32_t(i * 2654435761u);
  for (const char *name : {"exec_coverage.gfx942", "exec_coverage.preload"}) {
    Module module(name);
    Buffer<uint32_t> input(in), output(64 * 3);
    for (uint32_t index : {0u, 7u, 13u, 15u}) {
      HIP_OK(module.run("relative", 1, 64, input.get(), output.get(), index));
      std::vector<uint32_t> got = output.read();
      for (uint32_t l = 0; l < 64; ++l) {
        INFO(name << " lane " << l << ", index " << index);
        std::vector<uint32_t> v(in.begin() + l * 16, in.begin() + l * 16 + 16);
        CHECK(got[l * 3] == v[index]);
        v[(index + 3) & 15] = 77 + l;
        CHECK(got[l * 3 + 1] == v[(l * 5 + index) & 15]);
        v[(l + index) & 15] ^= 0xff;
        uint32_t sum = 0;
        for (uint32_t x : v)
          sum = sum * 31 + x;
        CHECK(got[l * 3 + 2] == sum);
      }
    }
  }
}

TEST_CASE("ds_swizzle in all its modes", "[coverage]") {
  std::vector<uint32_t> in(64);
  for (uint32_t l = 0; l < 64; ++l)
    in[l] = 1000 + l;
  Module module("exec_coverage.gfx942");
  Buffer<uint32_t> input(in), output(64 * 8);
  HIP_OK(module.run("swizzles", 1, 64, input.get(), output.get()));
  std::vector<uint32_t> got = output.read();
  for (uint32_t l = 0; l < 64; ++l) {
    INFO("lane " << l);
    const uint32_t *o = &got[l * 8];
    uint32_t half = l & 32, i = l & 31;
    auto reversed = [](uint32_t v, unsigned width) {
      uint32_t r = 0;
      for (unsigned b = 0; b < width; ++b)
        r |= (v >> b & 1) << (width - 1 - b);
      return r;
    };
    CHECK(o[0] == 1000 + (l ^ 3));              // Quads: 3 2 1 0.
    CHECK(o[1] == 1000 + l);                    // and 31
    CHECK(o[2] == 1000 + ((l & ~3u) ^ 1));      // and 28, xor 1
    CHECK(o[3] == 1000 + half + ((i + 5) & 31));
    CHECK(o[4] == 1000 + half + ((i - 3) & 31));
    CHECK(o[5] == 1000 + (l & ~7u) + ((l + 2) & 7)); // Bits 3 and 4 stay.
    CHECK(o[6] == 1000 + half + reversed(i, 5));
    CHECK(o[7] == 1000 + (l & ~7u) + reversed(l & 7, 3));
  }
}

TEST_CASE("atomics on packed halves and on doubles", "[coverage]") {
  Module module("exec_coverage.gfx942");
  constexpr unsigned groups = 4, items = groups * 64;
  Buffer<uint32_t> half(std::vector<uint32_t>(1 + groups, 0)), brain(std::vector<uint32_t>(1, 0));
  Buffer<double> sums(std::vector<double>(1 + groups, 0)), low(std::vector<double>(1, 5)), high(std::vector<double>(1, -5));
  HIP_OK(module.run("packed_atomics", groups, 64, half.get(), brain.get(), sums.get(), low.get(), high.get()));
  CHECK(half.read()[0] == (0x5c00u | 0x5800u << 16)); // 256 and 128: exact in f16.
  CHECK(brain.read()[0] == (0x4380u | 0x4400u << 16)); // 256 and 512: sums to 256 need 8 bits.
  CHECK(sums.read()[0] == items * (items - 1) / 2);
  CHECK(low.read()[0] == -double(items - 1));
  CHECK(high.read()[0] == 2.0 * (items - 1));
  for (unsigned g = 0; g < groups; ++g) {
    CHECK(half.read()[1 + g] == (0x5400u | 0x5000u << 16)); // 64 and 32.
    CHECK(sums.read()[1 + g] == 64.0 * 64 * g + 63 * 32);
  }
}

TEST_CASE("s_sendmsg of an interrupt is harmless", "[coverage]") {
  Module module("exec_coverage.gfx942");
  Buffer<uint32_t> output(64);
  HIP_OK(module.run("message", 1, 64, output.get()));
  CHECK(output.read() == std::vector<uint32_t>(64, 3));
}
