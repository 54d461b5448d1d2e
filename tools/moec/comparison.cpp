// Norms of differences; see comparison.h.
#include "tools/moec/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace moec::tool {
namespace {

struct RowNorms {
  double difference = 0, expected = 0; // Squares, summed.
};

RowNorms normsOf(std::span<const float> found,
                 std::span<const float> expected) {
  RowNorms norms;
  for (size_t i = 0; i < found.size(); ++i) {
    double difference = double(found[i]) - double(expected[i]);
    norms.difference += difference * difference;
    norms.expected += double(expected[i]) * double(expected[i]);
  }
  return norms;
}

/// Relative norm; NaN and any difference from an exact zero count as infinite.
double relative(const RowNorms &norms) {
  if (norms.difference == 0)
    return 0;
  double value = std::sqrt(norms.difference / norms.expected);
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

/// The first element of a wrong row that is off by far more than rounding, else
/// the one that is off most.
size_t wrongColumn(std::span<const float> found,
                   std::span<const float> expected, const RowNorms &norms) {
  double size = std::sqrt(norms.expected / double(expected.size()));
  size_t most = 0;
  double mostOff = -1;
  for (size_t i = 0; i < found.size(); ++i) {
    double off = std::abs(double(found[i]) - double(expected[i]));
    if (!(off <=
          8 * relativeBound * std::max(size, std::abs(double(expected[i])))))
      return i;
    if (off > mostOff) {
      mostOff = off;
      most = i;
    }
  }
  return most;
}

} // namespace

Comparison compare(const std::vector<float> &found,
                   const std::vector<float> &expected, size_t columns,
                   const std::vector<bool> &skip) {
  Comparison result;
  RowNorms whole;
  size_t rows = columns ? expected.size() / columns : 0;
  for (size_t row = 0; row < rows; ++row) {
    if (!skip.empty() && skip[row])
      continue;
    ++result.rowsCompared;
    std::span<const float> f(&found[row * columns], columns);
    std::span<const float> e(&expected[row * columns], columns);
    RowNorms norms = normsOf(f, e);
    whole.difference += norms.difference;
    whole.expected += norms.expected;
    double off = relative(norms);
    if (off > result.worstRowRelL2) {
      result.worstRowRelL2 = off;
      result.worstRow = row;
    }
    if (off > relativeBound && result.firstWrong.empty()) {
      size_t column = wrongColumn(f, e, norms);
      result.firstWrong =
          fmt::format("row {}, column {}: expected {:.9g}, found {:.9g}", row,
                      column, e[column], f[column]);
    }
  }
  result.relL2 = relative(whole);
  if (result.rowsCompared)
    result.expectedRms =
        std::sqrt(whole.expected / double(result.rowsCompared * columns));
  result.passed =
      result.relL2 <= relativeBound && result.worstRowRelL2 <= relativeBound;
  return result;
}

void requireUntouched(Comparison &comparison, const std::vector<bool> &skip,
                      const std::vector<bool> &untouched) {
  for (size_t row = 0; row < skip.size(); ++row) {
    if (!skip[row])
      continue;
    if (untouched[row]) {
      ++comparison.rowsUntouched;
      continue;
    }
    comparison.passed = false;
    if (comparison.firstWrong.empty())
      comparison.firstWrong = fmt::format(
          "row {}: written, although its pair has no valid expert", row);
  }
}

void requireNonzero(Comparison &comparison) {
  if (comparison.expectedRms > 0 || !comparison.passed)
    return;
  comparison.passed = false;
  comparison.firstWrong = "the expected result is zero everywhere although "
                          "experts have tokens: nothing was tested";
}

} // namespace moec::tool
