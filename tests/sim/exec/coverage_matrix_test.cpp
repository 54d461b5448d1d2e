// Every dense matrix instruction of both targets, and the sparse ones, against
// f64: moderate operands, and adversarial ones (any code: NaN, infinities,
// subnormals, the largest and smallest exponents).
#include "tests/sim/exec/device.h"
#include "tests/sim/exec/small_formats.h"

#include <cstdlib>

namespace {

using small_formats::Format;

constexpr Format f16 = {"f16", 5, 10, 15, Format::Ieee}, bf16 = {"bf16", 8, 7, 127, Format::Ieee},
                 f32 = {"f32", 8, 23, 127, Format::Ieee}, xf32 = {"xf32", 8, 23, 127, Format::Ieee},
                 fp8 = {"fp8", 4, 3, 7, Format::LastIsNan}, bf8 = {"bf8", 5, 2, 15, Format::Ieee},
                 i8 = {"i8", 0, 7, 0, Format::Finite}, f64 = {"f64", 11, 52, 1023, Format::Ieee};

struct Shape {
  const char *kernel;
  const Format &a, &b;
  unsigned m, k, blocks = 1;
};
const Shape denseShapes[] = {
    {"f32_32x32x1f32", f32, f32, 32, 1, 2}, {"f32_16x16x1f32", f32, f32, 16, 1, 4}, {"f32_4x4x1f32", f32, f32, 4, 1, 16},
    {"f32_32x32x2f32", f32, f32, 32, 2}, {"f32_16x16x4f32", f32, f32, 16, 4},
    {"f32_32x32x4f16", f16, f16, 32, 4, 2}, {"f32_16x16x4f16", f16, f16, 16, 4, 4}, {"f32_4x4x4f16", f16, f16, 4, 4, 16},
    {"f32_32x32x8f16", f16, f16, 32, 8}, {"f32_16x16x16f16", f16, f16, 16, 16},
    {"f32_32x32x4bf16_1k", bf16, bf16, 32, 4, 2}, {"f32_16x16x4bf16_1k", bf16, bf16, 16, 4, 4},
    {"f32_4x4x4bf16_1k", bf16, bf16, 4, 4, 16}, {"f32_32x32x8bf16_1k", bf16, bf16, 32, 8},
    {"f32_16x16x16bf16_1k", bf16, bf16, 16, 16},
    {"i32_32x32x4i8", i8, i8, 32, 4, 2}, {"i32_16x16x4i8", i8, i8, 16, 4, 4}, {"i32_4x4x4i8", i8, i8, 4, 4, 16},
    {"i32_16x16x32_i8", i8, i8, 16, 32}, {"i32_32x32x16_i8", i8, i8, 32, 16},
    {"f64_16x16x4f64", f64, f64, 16, 4}, {"f64_4x4x4f64", f64, f64, 4, 4, 4},
    {"f32_16x16x32_fp8_fp8", fp8, fp8, 16, 32}, {"f32_16x16x32_fp8_bf8", fp8, bf8, 16, 32},
    {"f32_16x16x32_bf8_fp8", bf8, fp8, 16, 32}, {"f32_16x16x32_bf8_bf8", bf8, bf8, 16, 32},
    {"f32_32x32x16_fp8_fp8", fp8, fp8, 32, 16}, {"f32_32x32x16_fp8_bf8", fp8, bf8, 32, 16},
    {"f32_32x32x16_bf8_fp8", bf8, fp8, 32, 16}, {"f32_32x32x16_bf8_bf8", bf8, bf8, 32, 16},
};
const Shape gfx942Shapes[] = {{"f32_16x16x8_xf32", xf32, xf32, 16, 8}, {"f32_32x32x4_xf32", xf32, xf32, 32, 4}};
const Shape gfx950Shapes[] = {
    {"f32_16x16x32_bf16", bf16, bf16, 16, 32}, {"f32_32x32x16_bf16", bf16, bf16, 32, 16},
    {"f32_16x16x32_f16", f16, f16, 16, 32},    {"f32_32x32x16_f16", f16, f16, 32, 16},
    {"i32_16x16x64_i8", i8, i8, 16, 64},       {"i32_32x32x32_i8", i8, i8, 32, 32},
};
struct SparseShape {
  Shape shape;
  unsigned set; ///< Of the index register, as the kernel says.
};
const SparseShape sparseShapes[] = {
    {{"sparse_f32_16x16x32_f16", f16, f16, 16, 32}, 2},   {{"sparse_f32_32x32x16_f16", f16, f16, 32, 16}, 3},
    {{"sparse_f32_16x16x32_bf16", bf16, bf16, 16, 32}, 0}, {{"sparse_f32_32x32x16_bf16", bf16, bf16, 32, 16}, 1},
    {{"sparse_i32_16x16x64_i8", i8, i8, 16, 64}, 1},       {{"sparse_i32_32x32x32_i8", i8, i8, 32, 32}, 0},
    {{"sparse_f32_16x16x64_fp8_bf8", fp8, bf8, 16, 64}, 0}, {{"sparse_f32_32x32x32_bf8_fp8", bf8, fp8, 32, 32}, 1},
};

uint32_t seed() {
  const char *text = std::getenv("MOEC_TEST_SEED");
  return text ? uint32_t(std::strtoul(text, nullptr, 0)) : 20250105;
}
unsigned bytesOf(const Format &f) { return unsigned(f.bits() + 7) / 8; }

double decode(const Format &f, uint64_t bits, bool fnuz) {
  if (&f == &i8)
    return int8_t(bits);
  if (&f == &f64) {
    double d;
    std::memcpy(&d, &bits, 8);
    return d;
  }
  if (&f == &f32 || &f == &xf32) {
    uint32_t u = uint32_t(bits) & (&f == &xf32 ? 0xffffe000 : ~0u); // xf32: 10 bits of fraction.
    float x;
    std::memcpy(&x, &u, 4);
    return x;
  }
  if (fnuz && f.bits() == 8) { // Bias one higher, 0x80 the only special code.
    Format g = {f.name, f.exponentBits, f.mantissaBits, f.bias + 1, Format::Finite};
    return bits == 0x80 ? NAN : small_formats::valueOf(g, unsigned(bits));
  }
  return small_formats::valueOf(f, unsigned(bits));
}

struct Case {
  bool fnuz, adversarial;
  std::mt19937 random;

  uint64_t element(const Format &f) {
    uint64_t r = uint64_t(random()) << 32 | random(), low = f.bits() == 64 ? ~0ull : (1ull << f.bits()) - 1;
    if (&f == &i8)
      return r & low;
    if (adversarial && random() % 6) { // Zeros, subnormals, the smallest.
      uint64_t sign = 1ull << (f.bits() - 1), small = r & ((2ull << f.mantissaBits) - 1);
      return (r & sign) | small;
    }
    if (adversarial && random() % 24 == 0)
      return r & low;
    // About [1/8, 8): three exponents below and above the bias.
    uint64_t exponent = uint64_t(f.bias + int(random() % 6) - 3) << f.mantissaBits;
    return (r & ((1ull << (f.bits() - 1)) | ((1ull << f.mantissaBits) - 1))) | exponent;
  }
};

void placeInput(const Shape &s, unsigned block, unsigned i, unsigned k, unsigned &lane, unsigned &element) {
  unsigned perLane = s.k * s.m * s.blocks / 64;
  if (&s.a == &f64 && s.m == 4) {
    lane = i + 4 * block + 16 * k, element = 0;
  } else if (s.blocks > 1) {
    lane = block * s.m + i, element = k;
  } else {
    lane = k / perLane * s.m + i, element = k % perLane;
  }
}
void placeOutput(const Shape &s, unsigned block, unsigned i, unsigned j, unsigned &lane, unsigned &reg) {
  if (&s.a == &f64 && s.m == 4)
    lane = j + 4 * block + 16 * i, reg = 0;
  else if (&s.a == &f64)
    lane = 16 * (i % 4) + j, reg = i / 4;
  else if (s.m == 32)
    lane = j + 32 * (i / 4 % 2), reg = block * 16 + 4 * (i / 8) + i % 4;
  else if (s.m == 16)
    lane = j + 16 * (i / 4), reg = block * 4 + i % 4;
  else
    lane = block * 4 + j, reg = i;
}

template <class C> bool agrees(C got, double sum, double magnitude, unsigned k) {
  if constexpr (std::is_same_v<C, int32_t>)
    return got == int32_t(sum);
  bool single = sizeof(C) == 4;
  // Beyond the range the order of additions decides what overflows.
  if (std::isfinite(sum) && magnitude > (single ? 3.4e38 : 1.7e308))
    return true;
  if (std::isnan(sum))
    return std::isnan(double(got));
  if (std::isinf(sum))
    return double(got) == sum || (single && std::isfinite(magnitude)) || std::isnan(double(got));
  double tolerance = single ? 16 * 0x1p-24 * magnitude + k * 1.5e-45 : 1e-14 * magnitude + k * 5e-324;
  return std::fabs(double(got) - sum) <= tolerance;
}

/// `set` >= 0: A holds two of each four k, chosen by that set of indices.
template <class C> void check(Module &module, const Shape &s, Case c, int set) {
  INFO(s.kernel << (c.adversarial ? ", adversarial" : "") << "\nrerun: MOEC_TEST_SEED=" << seed()
                << " hipsim_exec_test '[coverage],[.gfx950]'");
  unsigned bElements = s.k * s.m * s.blocks / 64, aElements = set >= 0 ? bElements / 2 : bElements;
  unsigned registers = s.m * s.m * s.blocks / 64;
  std::vector<uint8_t> a(64 * aElements * bytesOf(s.a)), b(64 * bElements * bytesOf(s.b));
  auto fill = [&](std::vector<uint8_t> &v, const Format &f) {
    for (size_t at = 0; at < v.size(); at += bytesOf(f)) {
      uint64_t x = c.element(f);
      std::memcpy(&v[at], &x, bytesOf(f));
    }
  };
  auto value = [&](const std::vector<uint8_t> &v, const Format &f, unsigned index) {
    uint64_t x = 0;
    std::memcpy(&x, &v[size_t(index) * bytesOf(f)], bytesOf(f));
    return decode(f, x, c.fnuz);
  };
  fill(a, s.a);
  fill(b, s.b);
  std::vector<C> addend(64 * registers);
  for (C &x : addend)
    x = C(int(c.random() % 2001) - 1000) / C(8);
  std::vector<uint32_t> index(64);
  constexpr uint32_t pairs[] = {4, 8, 9, 12, 13, 14}; // First below second.
  for (uint32_t &x : index)
    for (unsigned n = 0; n < 8; ++n)
      x |= pairs[c.random() % 6] << 4 * n;
  Buffer<uint8_t> left(a), right(b);
  Buffer<C> third(addend), result(addend.size());
  Buffer<uint32_t> indices(index);
  if (set >= 0)
    HIP_OK(module.run(s.kernel, 1, 64, left.get(), right.get(), third.get(), result.get(), indices.get()));
  else
    HIP_OK(module.run(s.kernel, 1, 64, left.get(), right.get(), third.get(), result.get()));
  std::vector<C> got = result.read();
  unsigned wrong = 0;
  for (unsigned block = 0; block < s.blocks; ++block)
    for (unsigned i = 0; i < s.m; ++i)
      for (unsigned j = 0; j < s.m; ++j) {
        unsigned lane, reg, count = set >= 0 ? s.k / 2 : s.k;
        placeOutput(s, block, i, j, lane, reg);
        double sum = double(addend[lane * registers + reg]), magnitude = std::fabs(sum);
        for (unsigned n = 0; n < count; ++n) {
          unsigned al, ae, bl, be, k = n;
          if (set >= 0) { // Stored element ae of group n / aElements.
            al = n / aElements * s.m + i, ae = n % aElements;
            k = n / aElements * bElements + ae / 2 * 4 + (index[al] >> (set * 2 * aElements + 2 * ae) & 3);
          } else {
            placeInput(s, block, i, k, al, ae);
          }
          placeInput(s, block, j, k, bl, be);
          double product = value(a, s.a, al * aElements + ae) * value(b, s.b, bl * bElements + be);
          sum += product;
          magnitude += std::fabs(product);
        }
        C result = got[lane * registers + reg];
        if (!agrees(result, sum, magnitude, s.k) && wrong++ < 5)
          UNSCOPED_INFO("block " << block << " D(" << i << ", " << j << ") = " << double(result) << ", expected " << sum);
      }
  CHECK(wrong == 0);
}

void checkShape(Module &module, const Shape &s, bool fnuz, int set = -1) {
  for (bool adversarial : {false, true}) {
    Case c = {fnuz, adversarial, std::mt19937(seed() + s.m + s.k)};
    if (&s.a == &i8)
      check<int32_t>(module, s, c, set);
    else if (&s.a == &f64)
      check<double>(module, s, c, set);
    else
      check<float>(module, s, c, set);
  }
}

} // namespace

TEST_CASE("every matrix instruction of gfx942", "[coverage]") {
  Module module("exec_shapes.gfx942");
  for (const Shape &s : denseShapes)
    checkShape(module, s, true);
  for (const Shape &s : gfx942Shapes)
    checkShape(module, s, true);
  for (const SparseShape &s : sparseShapes)
    checkShape(module, s.shape, true, int(s.set));
}

TEST_CASE("every matrix instruction of gfx950", "[.gfx950]") {
  Module module("exec_shapes.gfx950");
  for (const Shape &s : denseShapes)
    checkShape(module, s, false);
  for (const Shape &s : gfx950Shapes)
    checkShape(module, s, false);
  for (const SparseShape &s : sparseShapes)
    checkShape(module, s.shape, false, int(s.set));
}
