// What `moec test` runs a stage on: sizes, numbers of tokens, routings.
#pragma once

#include "runtime/base/problem.h"
#include "tools/moec/routing.h"

namespace moec::tool {

struct TestProblem {
  std::string label;
  std::string why;
  Problem problem;
};

/// The default problems; where `group` is not 0 (the stage fixes it), those
/// that it suits, with that group.
std::vector<TestProblem> testProblems(int64_t group);

/// One run: tokens and routing.
struct TestPoint {
  int64_t tokens;
  const RoutingKind *routing;
};

/// Uniform routing for all `tokens`, the others for one count; all of both if
/// `full`.
std::vector<TestPoint> testPoints(const std::vector<int64_t> &tokens,
                                  bool full);

/// Default numbers of tokens.
std::vector<int64_t> testTokens();

} // namespace moec::tool
