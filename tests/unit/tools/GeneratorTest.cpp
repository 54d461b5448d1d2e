// Operands must come out the same for the device and for the reference.
#include "tools/moec/generator.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

using namespace moec::tool;

TEST_CASE("Generator_int4_dependsOnSeedTensorAndExpertOnly") {
  // n = 8, k = 64, group 32: 8*64/2 bytes of values, 8*2 scales of 2 bytes.
  auto make = [](uint64_t seed, const char *tensor, uint64_t expert) {
    std::vector<uint8_t> bytes(256 + 32);
    fillInt4(Random(seed, tensor, expert), 64, bytes.data(), 256,
             bytes.data() + 256, 32);
    return bytes;
  };
  CHECK(make(1, "w13", 5) == make(1, "w13", 5));
  CHECK(make(1, "w13", 5) != make(2, "w13", 5));
  CHECK(make(1, "w13", 5) != make(1, "w2", 5));
  CHECK(make(1, "w13", 5) != make(1, "w13", 6));
}

TEST_CASE("Generator_int4_nibblesAreUniform") {
  std::vector<uint8_t> values(1 << 16), scales(2);
  fillInt4(Random(7, "w"), 64, values.data(), values.size(), scales.data(), 2);
  size_t counts[16] = {};
  for (uint8_t byte : values) {
    ++counts[byte & 15];
    ++counts[byte >> 4];
  }
  // 131072 nibbles: 8192 of each, deviation sqrt(8192 * 15/16) = 88; 6 sigma.
  for (size_t count : counts)
    CHECK(std::abs(double(count) - 8192) < 6 * 88);
}

TEST_CASE("Generator_int4_scalesArePositiveAndNearTheTarget") {
  std::vector<uint8_t> values(8);
  std::vector<uint16_t> scales(1000);
  fillInt4(Random(7, "w"), 7168, values.data(), 8, scales.data(), 2000);
  // floor(-3.2 - log2(7168) / 2) = floor(-9.60) = -10: scales in 2^-10 * [1,
  // 4).
  for (uint16_t bits : scales) {
    CHECK(bf16ToFloat(bits) >= std::ldexp(1.0f, -10));
    CHECK(bf16ToFloat(bits) < std::ldexp(1.0f, -8));
  }
}

TEST_CASE("Generator_activations_haveVarianceOne") {
  auto bits = makeActivations(Random(3, "x"), 100000);
  double sum = 0, squares = 0;
  for (uint16_t value : bits) {
    sum += bf16ToFloat(value);
    squares += double(bf16ToFloat(value)) * bf16ToFloat(value);
  }
  // Deviation of the mean: 1/sqrt(1e5) = 0.0032; of the squares about 0.005.
  CHECK(std::abs(sum / 1e5) < 0.02);
  CHECK(std::abs(squares / 1e5 - 1) < 0.03);
}

TEST_CASE("R10 Generator_floatToBf16_roundsToNearestEven") {
  // bf16 has 7 mantissa bits: between 1 and 2 its step is 2^-7.
  CHECK(floatToBf16(1.0f) == 0x3f80);
  CHECK(floatToBf16(1.0f + 0x1p-8f) == 0x3f80);     // tie, even below
  CHECK(floatToBf16(1.0f + 3 * 0x1p-8f) == 0x3f82); // tie, even above
  CHECK(floatToBf16(1.0f + 0x1p-8f + 0x1p-20f) == 0x3f81);
  CHECK(std::isnan(bf16ToFloat(floatToBf16(std::nanf("")))));
}
