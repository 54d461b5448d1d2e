// A result against the reference: relative L2 of the whole and of every row.
//
// No element-wise tolerance and no allowance for outliers (rule R15): both let
// zeros pass. A row that must be zero must be exactly zero.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace moec::tool {

/// Bound of both norms for bf16 activations.
inline constexpr double relativeBound = 5e-3;

struct Comparison {
  double relL2 = 0, worstRowRelL2 = 0;
  size_t worstRow = 0;
  bool passed = true;
  size_t rowsCompared = 0, rowsUntouched = 0;
  double expectedRms = 0; ///< Root mean square of the expected elements.
  /// The first wrong coordinate, "" if passed:
  /// "row 3, column 17: expected 0.25, found nan".
  std::string firstWrong;
};

/// Both are row-major, `columns` wide. Rows that `skip` marks (empty: none) are
/// undefined by contract and not looked at.
Comparison compare(const std::vector<float> &found,
                   const std::vector<float> &expected, size_t columns,
                   const std::vector<bool> &skip);

/// Fails a comparison if a row that `skip` marks was written: `untouched` says
/// which rows still hold what was there before the run. No row of a pair without
/// a valid expert may be written, although nothing reads it.
void requireUntouched(Comparison &comparison, const std::vector<bool> &skip,
                      const std::vector<bool> &untouched);

/// Fails a comparison whose expected elements are all zero though experts had
/// tokens: it tested nothing.
void requireNonzero(Comparison &comparison);

} // namespace moec::tool
