// Random operands by counter: any expert can be made again from the seed.
//
// The runtime packs an expert's weights in place and nothing keeps the
// originals; the reference asks for them again, in any order, from any thread.
// So every word is a hash of (seed, tensor, expert, index).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace moec::tool {

/// A stream of 64-bit words, word i a function of (key, i).
class Random {
public:
  Random(uint64_t seed, std::string_view stream, uint64_t index = 0);
  uint64_t word(uint64_t i) const;
  uint64_t next() { return word(counter++); }
  /// Uniform below `limit` (> 0); the bias is below 2^-32 for small limits.
  uint64_t below(uint64_t limit) { return (next() >> 32) * limit >> 32; }
  /// Uniform in [0, 1).
  double uniform() { return double(next() >> 11) * 0x1p-53; }

private:
  uint64_t key, counter = 0;
};

/// One expert of int4 weights in the source layout `ct_pack`: [n, k/8] words of
/// eight offset nibbles, all values equally likely, and positive bf16 scales
/// [n, ceil(k/group)] that make a row of k products about as large as x.
void fillInt4(Random random, int64_t k, void *values, size_t valuesSize,
              void *scales, size_t scalesSize);

/// `count` bf16 values, bell-shaped with variance 1.
std::vector<uint16_t> makeActivations(Random random, size_t count);

float bf16ToFloat(uint16_t bits);
/// To nearest, ties to even; NaN stays NaN.
uint16_t floatToBf16(float value);

} // namespace moec::tool
