// The comparison must reject what looks like a result but is none.
#include "tools/moec/comparison.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace moec::tool;

namespace {
constexpr size_t columns = 64, rows = 4;

/// Rows of different sizes: row r has elements near 10^-r.
std::vector<float> makeExpected() {
  std::vector<float> values;
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c)
      values.push_back(float(std::pow(0.1, r) * std::sin(double(c + 1))));
  return values;
}
} // namespace

TEST_CASE("R15 Comparison_equal_passes") {
  auto expected = makeExpected();
  Comparison result = compare(expected, expected, columns, {});
  CHECK(result.passed);
  CHECK(result.relL2 == 0);
  CHECK(result.rowsCompared == rows);
  CHECK(result.firstWrong == "");
}

TEST_CASE("R15 Comparison_zerosAndConstants_fail") {
  auto expected = makeExpected();
  std::vector<float> zeros(expected.size(), 0.0f), ones(expected.size(), 1.0f);
  // A result of zeros is off by the whole norm: relative L2 of exactly 1.
  CHECK(compare(zeros, expected, columns, {}).relL2 == Approx(1));
  CHECK_FALSE(compare(zeros, expected, columns, {}).passed);
  CHECK_FALSE(compare(ones, expected, columns, {}).passed);
}

TEST_CASE("R15 Comparison_smallRowWrong_failsThoughTheWholePasses") {
  auto expected = makeExpected(), found = expected;
  // The last row is 10^-3 of the first: zeroed it moves the whole by about
  // 10^-3 < 5e-3, its own relative error is 1.
  for (size_t c = 0; c < columns; ++c)
    found[3 * columns + c] = 0;
  Comparison result = compare(found, expected, columns, {});
  CHECK(result.relL2 < relativeBound);
  CHECK(result.worstRow == 3);
  CHECK(result.worstRowRelL2 == Approx(1));
  CHECK_FALSE(result.passed);
  CHECK(result.firstWrong.rfind("row 3, column 0: expected 0.000841470", 0) ==
        0);
}

TEST_CASE("R15 Comparison_oneNan_failsAndIsNamed") {
  auto expected = makeExpected(), found = expected;
  found[columns + 7] = std::numeric_limits<float>::quiet_NaN();
  Comparison result = compare(found, expected, columns, {});
  CHECK_FALSE(result.passed);
  CHECK(result.worstRow == 1);
  CHECK(result.firstWrong.rfind("row 1, column 7: expected", 0) == 0);
  CHECK(result.firstWrong.find("found nan") != std::string::npos);
}

TEST_CASE("R05 Comparison_zeroRow_mustBeExactlyZero") {
  auto expected = makeExpected();
  for (size_t c = 0; c < columns; ++c)
    expected[2 * columns + c] = 0;
  auto found = expected;
  CHECK(compare(found, expected, columns, {}).passed);
  found[2 * columns + 5] = std::numeric_limits<float>::denorm_min();
  Comparison result = compare(found, expected, columns, {});
  CHECK_FALSE(result.passed);
  CHECK(result.worstRow == 2);
}

TEST_CASE("Comparison_skippedRows_areNotLookedAt") {
  auto expected = makeExpected(), found = expected;
  for (size_t c = 0; c < columns; ++c)
    found[columns + c] = std::numeric_limits<float>::quiet_NaN();
  Comparison result =
      compare(found, expected, columns, {false, true, false, false});
  CHECK(result.passed);
  CHECK(result.rowsCompared == 3);
}

TEST_CASE("R05 Comparison_rowsWithoutAnExpert_mustStayUntouched") {
  auto expected = makeExpected();
  std::vector<bool> skip = {true, false, true, false};
  Comparison result = compare(expected, expected, columns, skip);
  requireUntouched(result, skip, {true, false, true, false});
  CHECK(result.passed);
  CHECK(result.rowsCompared == 2);
  CHECK(result.rowsUntouched == 2);
  requireUntouched(result, skip, {true, false, false, false});
  CHECK_FALSE(result.passed);
  CHECK(result.firstWrong ==
        "row 2: written, although its pair has no valid expert");
}

TEST_CASE("R06 Comparison_noRows_passes") {
  Comparison result = compare({}, {}, columns, {});
  CHECK(result.passed);
  CHECK(result.rowsCompared == 0);
}

TEST_CASE("R15 Comparison_expectedZeroEverywhere_testsNothing") {
  std::vector<float> zeros(columns, 0.0f);
  Comparison result = compare(zeros, zeros, columns, {});
  CHECK(result.passed);
  requireNonzero(result);
  CHECK_FALSE(result.passed);
  CHECK(result.firstWrong.find("nothing was tested") != std::string::npos);
}
