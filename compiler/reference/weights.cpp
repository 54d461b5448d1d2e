// See weights.h.

#include "compiler/reference/weights.h"

#include <algorithm>
#include <bit>

namespace moec::reference {

ExpertWeights::ExpertWeights(int64_t channels, int64_t depth, int64_t group)
    : channels(channels), depth(depth), group(group),
      values(size_t(channels * (depth / 8))),
      scales(size_t(channels * ((depth + group - 1) / group))) {}

void ExpertWeights::dequantise(int64_t n, double *out) const {
  const uint32_t *words = values.data() + n * (depth / 8);
  const uint16_t *channelScales =
      scales.data() + n * ((depth + group - 1) / group);
  for (int64_t begin = 0; begin < depth; begin += group) {
    double scale = fromBf16(channelScales[begin / group]);
    int64_t end = std::min(begin + group, depth);
    for (int64_t k = begin; k < end; k += 8)
      for (int64_t i = 0; i < 8; ++i)
        out[k + i] = (int(words[k / 8] >> (4 * i) & 15) - 8) * scale;
  }
}

double fromBf16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

double dot(const double *x, const double *y, int64_t size) {
  // Eight sums, so that the compiler can use vectors without reordering.
  double sums[8] = {};
  int64_t k = 0;
  for (; k + 8 <= size; k += 8)
    for (int i = 0; i < 8; ++i)
      sums[i] += x[k + i] * y[k + i];
  for (; k < size; ++k)
    sums[0] += x[k] * y[k];
  double sum = 0;
  for (double part : sums)
    sum += part;
  return sum;
}

} // namespace moec::reference
