// Weights of one expert and dot products with them, in f64.
#pragma once

#include <cstdint>
#include <vector>

namespace moec::reference {

/// One expert's weights as the source layout stores them: offset nibbles along
/// k, eight a word, and one bf16 scale for `group` consecutive k.
struct ExpertWeights {
  int64_t channels = 0, depth = 0, group = 0;
  std::vector<uint32_t> values; ///< [channels, depth / 8]
  std::vector<uint16_t> scales; ///< [channels, ceil(depth / group)]

  ExpertWeights(int64_t channels, int64_t depth, int64_t group);

  /// Channel `n` as numbers: (nibble - 8) * scale. `out` holds `depth`.
  void dequantise(int64_t n, double *out) const;
};

/// The value of a bf16.
double fromBf16(uint16_t bits);

/// Dot product of `size` elements.
double dot(const double *x, const double *y, int64_t size);

} // namespace moec::reference
