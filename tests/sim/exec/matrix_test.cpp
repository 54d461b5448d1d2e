// Every matrix instruction: random operands placed by the register layouts of
// the ISA document, results against f64 (or exact integers).
#include "tests/sim/exec/device.h"

#include <cmath>
#include <functional>

namespace {

enum class Type { F32, Xf32, Bf16, F16, Fp8, Bf8, I8, F64 };

unsigned bytesOf(Type t) {
  return t == Type::F64 ? 8 : t == Type::F32 || t == Type::Xf32 ? 4
         : t == Type::Bf16 || t == Type::F16                    ? 2
                                                                : 1;
}

/// The value of an encoded element; 8-bit floats are FNUZ on gfx942.
double decode(Type t, uint64_t bits) {
  switch (t) {
  case Type::F64: { double d; std::memcpy(&d, &bits, 8); return d; }
  case Type::F32: { float f; std::memcpy(&f, &bits, 4); return f; }
  case Type::Xf32: { uint32_t u = uint32_t(bits) & 0xffffe000; float f; std::memcpy(&f, &u, 4); return f; }
  case Type::Bf16: { uint32_t u = uint32_t(bits) << 16; float f; std::memcpy(&f, &u, 4); return f; }
  case Type::F16: { _Float16 h; std::memcpy(&h, &bits, 2); return double(h); }
  case Type::I8: return int8_t(bits);
  case Type::Fp8:
  case Type::Bf8: {
    int m = t == Type::Fp8 ? 3 : 2, bias = t == Type::Fp8 ? 8 : 16;
    int e = int(bits >> m) & ((1 << (7 - m)) - 1), f = int(bits) & ((1 << m) - 1);
    double v = e ? std::ldexp(f + (1 << m), e - bias - m) : std::ldexp(f, 1 - bias - m);
    return bits & 0x80 ? -v : v;
  }
  }
  return 0;
}

/// A random encoding without NaN and of moderate size.
uint64_t randomElement(Type t, std::mt19937 &random) {
  uint64_t r = random() | uint64_t(random()) << 32;
  float f = float(int(r % 2001) - 1000) / 256;
  switch (t) {
  case Type::F64: { double d = f * 1.000000001; std::memcpy(&r, &d, 8); return r; }
  case Type::F32:
  case Type::Xf32: { uint32_t u; std::memcpy(&u, &f, 4); return u | (r >> 40 & 0xff); }
  case Type::Bf16: { uint32_t u; std::memcpy(&u, &f, 4); return u >> 16; }
  case Type::F16: { _Float16 h = _Float16(f); uint16_t u; std::memcpy(&u, &h, 2); return u; }
  case Type::I8: return r & 0xff;
  default: r &= 0xff; return r == 0x80 ? 0x11 : r;
  }
}

struct Shape {
  const char *kernel;
  Type a, b;
  unsigned m, k, blocks = 1;
};

const Shape gfx942Shapes[] = {
    {"f32_16x16x16bf16_1k", Type::Bf16, Type::Bf16, 16, 16},
    {"f32_32x32x8bf16_1k", Type::Bf16, Type::Bf16, 32, 8},
    {"f32_16x16x16f16", Type::F16, Type::F16, 16, 16},
    {"f32_32x32x8f16", Type::F16, Type::F16, 32, 8},
    {"f32_16x16x4f32", Type::F32, Type::F32, 16, 4},
    {"f32_32x32x2f32", Type::F32, Type::F32, 32, 2},
    {"f32_16x16x8_xf32", Type::Xf32, Type::Xf32, 16, 8},
    {"f32_32x32x4_xf32", Type::Xf32, Type::Xf32, 32, 4},
    {"i32_16x16x32_i8", Type::I8, Type::I8, 16, 32},
    {"i32_32x32x16_i8", Type::I8, Type::I8, 32, 16},
    {"f32_16x16x32_fp8_fp8", Type::Fp8, Type::Fp8, 16, 32},
    {"f32_16x16x32_bf8_fp8", Type::Bf8, Type::Fp8, 16, 32},
    {"f32_32x32x16_fp8_bf8", Type::Fp8, Type::Bf8, 32, 16},
    {"f32_32x32x16_bf8_bf8", Type::Bf8, Type::Bf8, 32, 16},
    {"f64_16x16x4f64", Type::F64, Type::F64, 16, 4},
    {"f32_32x32x4bf16_1k", Type::Bf16, Type::Bf16, 32, 4, 2},
    {"f32_16x16x4bf16_1k", Type::Bf16, Type::Bf16, 16, 4, 4},
    {"f32_4x4x4bf16_1k", Type::Bf16, Type::Bf16, 4, 4, 16},
};
const Shape gfx950Shapes[] = {
    {"f32_16x16x32_bf16", Type::Bf16, Type::Bf16, 16, 32},
    {"f32_32x32x16_bf16", Type::Bf16, Type::Bf16, 32, 16},
    {"f32_16x16x32_f16", Type::F16, Type::F16, 16, 32},
    {"f32_32x32x16_f16", Type::F16, Type::F16, 32, 16},
    {"i32_16x16x64_i8", Type::I8, Type::I8, 16, 64},
    {"i32_32x32x32_i8", Type::I8, Type::I8, 32, 32},
    {"f32_16x16x16bf16_1k", Type::Bf16, Type::Bf16, 16, 16},
    {"f32_32x32x8f16", Type::F16, Type::F16, 32, 8},
    {"i32_16x16x32_i8", Type::I8, Type::I8, 16, 32},
    {"f64_16x16x4f64", Type::F64, Type::F64, 16, 4},
};

/// Lane and element of A(i, k) (of B(k, j) with i = j) in block `block`: lanes
/// come in groups of M, group g holds the elements k = epg * g + e.
void placeInput(const Shape &s, unsigned block, unsigned i, unsigned k, unsigned &lane,
                unsigned &element) {
  if (s.blocks > 1) {
    lane = block * s.m + i;
    element = k;
    return;
  }
  unsigned perGroup = s.k / (64 / s.m);
  lane = k / perGroup * s.m + i;
  element = k % perGroup;
}

/// Lane and register of D(i, j), as the ISA document draws them.
void placeOutput(const Shape &s, unsigned block, unsigned i, unsigned j, unsigned &lane,
                 unsigned &reg) {
  if (s.a == Type::F64) {
    lane = 16 * (i % 4) + j, reg = i / 4;
  } else if (s.m == 32) {
    lane = j + 32 * (i / 4 % 2), reg = block * 16 + 4 * (i / 8) + i % 4;
  } else if (s.m == 16) {
    lane = j + 16 * (i / 4), reg = block * 4 + i % 4;
  } else {
    lane = block * 4 + j, reg = i;
  }
}

template <class C> void check(Module &module, const Shape &s) {
  INFO(s.kernel);
  std::mt19937 random(42);
  unsigned elements = s.k * s.m * s.blocks / 64, registers = s.m * s.m * s.blocks / 64;
  std::vector<uint8_t> a(64 * elements * bytesOf(s.a)), b(64 * elements * bytesOf(s.b));
  std::vector<C> c(64 * registers);
  for (C &x : c)
    x = C(int(random() % 2001) - 1000) / C(8);
  auto element = [&](std::vector<uint8_t> &v, Type t, unsigned lane, unsigned e) {
    return v.data() + (size_t(lane) * elements + e) * bytesOf(t);
  };
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned e = 0; e < elements; ++e) {
      uint64_t x = randomElement(s.a, random), y = randomElement(s.b, random);
      std::memcpy(element(a, s.a, l, e), &x, bytesOf(s.a));
      std::memcpy(element(b, s.b, l, e), &y, bytesOf(s.b));
    }
  Buffer<uint8_t> left(a), right(b);
  Buffer<C> addend(c), result(c.size());
  HIP_OK(module.run(s.kernel, 1, 64, left.get(), right.get(), addend.get(), result.get()));
  std::vector<C> got = result.read();
  unsigned wrong = 0;
  for (unsigned block = 0; block < s.blocks; ++block)
    for (unsigned i = 0; i < s.m; ++i)
      for (unsigned j = 0; j < s.m; ++j) {
        unsigned lane, reg;
        placeOutput(s, block, i, j, lane, reg);
        double sum = double(c[lane * registers + reg]), magnitude = std::fabs(sum);
        for (unsigned k = 0; k < s.k; ++k) {
          unsigned al, ae, bl, be;
          placeInput(s, block, i, k, al, ae);
          placeInput(s, block, j, k, bl, be);
          uint64_t x = 0, y = 0;
          std::memcpy(&x, element(a, s.a, al, ae), bytesOf(s.a));
          std::memcpy(&y, element(b, s.b, bl, be), bytesOf(s.b));
          double product = decode(s.a, x) * decode(s.b, y);
          sum += product;
          magnitude += std::fabs(product);
        }
        // f32: a few roundings of 2^-24 a term; integers and f64 nearly exact.
        double tolerance = s.a == Type::I8 ? 0 : s.a == Type::F64 ? 1e-14 : 4e-7;
        double error = std::fabs(double(got[lane * registers + reg]) - sum);
        if (!(error <= tolerance * magnitude) && wrong++ < 5)
          UNSCOPED_INFO("block " << block << " D(" << i << ", " << j << ") = "
                                 << double(got[lane * registers + reg]) << ", expected " << sum);
      }
  CHECK(wrong == 0);
}

void checkShape(Module &module, const Shape &s) {
  if (s.a == Type::I8)
    check<int32_t>(module, s);
  else if (s.a == Type::F64)
    check<double>(module, s);
  else
    check<float>(module, s);
}

} // namespace

TEST_CASE("matrix instructions of gfx942", "[matrix]") {
  Module module("exec_matrix.gfx942");
  for (const Shape &s : gfx942Shapes)
    checkShape(module, s);
}

// Run with HIPSIM_ARCH=gfx950 (CMakeLists.txt does).
TEST_CASE("matrix instructions of gfx950", "[.gfx950]") {
  Module module("exec_matrix.gfx950");
  for (const Shape &s : gfx950Shapes)
    checkShape(module, s);
}
