// Tables of `moec test`; see test_matrix.h.
#include "tools/moec/test_matrix.h"

#include "tools/moec/problems.h"

#include <algorithm>

namespace moec::tool {
namespace {

struct Row {
  int64_t hidden, inter, experts, topk, group;
  const char *why;
};

// Small enough that a run takes a fraction of a second on the simulator; every
// row is there for something that went wrong somewhere (R01, R07).
constexpr Row rows[] = {
    {512, 256, 8, 2, 32, "whole tiles in every direction"},
    {160, 96, 5, 3, 32, "N = 96, K = 160: tails of the tile"},
    {192, 192, 33, 4, 128, "K = 192 with groups of 128: a short last group"},
    {288, 32, 1, 1, 64, "one expert, N = 32, K = 288"},
    {256, 320, 129, 8, 256, "129 experts, one group along K"},
};

// 0; one; less than a block of 16, a block, one more; three blocks and one.
constexpr int64_t tokenCounts[] = {0, 1, 3, 16, 17, 49};

} // namespace

std::vector<TestProblem> testProblems(int64_t group) {
  std::vector<TestProblem> problems;
  for (const Row &row : rows) {
    Problem problem;
    problem.hidden = row.hidden;
    problem.inter = row.inter;
    problem.experts = row.experts;
    problem.topk = row.topk;
    problem.weights = "int4";
    problem.group = group ? group : row.group;
    problems.push_back({problemLabel(problem.canonical()), row.why, problem});
  }
  return problems;
}

std::vector<int64_t> testTokens() {
  return {std::begin(tokenCounts), std::end(tokenCounts)};
}

std::vector<TestPoint> testPoints(const std::vector<int64_t> &tokens,
                                  bool full) {
  std::vector<TestPoint> points;
  const std::vector<RoutingKind> &kinds = routingKinds();
  int64_t other = tokens[tokens.size() > 1 ? tokens.size() - 2 : 0];
  for (const RoutingKind &kind : kinds)
    for (int64_t count : tokens)
      if (full || &kind == &kinds.front() || count == other)
        points.push_back({count, &kind});
  return points;
}

} // namespace moec::tool
