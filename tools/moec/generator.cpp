// Counter-based random operands; see generator.h.
#include "tools/moec/generator.h"

#include <cmath>
#include <cstring>

namespace moec::tool {

/// SplitMix64's output function: a bijection that passes BigCrush on counters.
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

static constexpr uint64_t golden = 0x9e3779b97f4a7c15ull;

Random::Random(uint64_t seed, std::string_view stream, uint64_t index) {
  key = mix(seed + golden);
  for (unsigned char character : stream)
    key = mix(key ^ character) + golden;
  key = mix(key ^ mix(index + golden));
}

uint64_t Random::word(uint64_t i) const { return mix(key + (i + 1) * golden); }

void fillInt4(Random random, int64_t k, void *values, size_t valuesSize,
              void *scales, size_t scalesSize) {
  // A uniform word is eight uniform nibbles.
  auto *bytes = static_cast<unsigned char *>(values);
  uint64_t counter = 0;
  for (size_t at = 0; at < valuesSize; at += 8) {
    uint64_t word = random.word(counter++);
    std::memcpy(bytes + at, &word, valuesSize - at < 8 ? valuesSize - at : 8);
  }
  // The deviation of a uniform int4 is 4.6; scales of 2^e * [1, 4) with
  // 2^e = 2^-3.2 / sqrt(k) keep a sum of k products near the size of x. As
  // bf16: the exponent field plus one random bit, and seven random mantissa
  // bits.
  int exponent = int(std::floor(-3.2 - 0.5 * std::log2(double(k))));
  uint64_t base = uint64_t(127 + exponent) << 7;
  base |= base << 16;
  base |= base << 32;
  bytes = static_cast<unsigned char *>(scales);
  for (size_t at = 0; at < scalesSize; at += 8) {
    uint64_t four = base + (random.word(counter++) & 0x00ff00ff00ff00ffull);
    std::memcpy(bytes + at, &four, scalesSize - at < 8 ? scalesSize - at : 8);
  }
}

std::vector<uint16_t> makeActivations(Random random, size_t count) {
  std::vector<uint16_t> bits(count);
  for (uint16_t &value : bits) {
    // Four uniforms of 16 bits: mean 2, variance 4/12.
    uint64_t word = random.next();
    double sum = 0;
    for (int i = 0; i < 4; ++i)
      sum += double(word >> (16 * i) & 0xffff) / 65536;
    value = floatToBf16(float((sum - 2) * std::sqrt(3.0)));
  }
  return bits;
}

float bf16ToFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

uint16_t floatToBf16(float value) {
  uint32_t wide;
  std::memcpy(&wide, &value, sizeof(wide));
  if (std::isnan(value))
    return uint16_t(wide >> 16 | 0x40);
  return uint16_t((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
}

} // namespace moec::tool
