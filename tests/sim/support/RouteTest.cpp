// kernels/support/route.mlir on the simulator against a host reference, element
// by element.
//
// The reference groups pairs expert by expert in one obvious loop; it shares
// nothing with the kernel's counting sort. Lessons kept here: R05 (odd ids),
// R06 (no tokens), R07 (any number of experts), R12 (a fixed order), R25 (no
// reliance on what memory holds).

#include "tests/sim/support/simulated_device.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

using namespace moec::test;

namespace {

constexpr int32_t poison = 0x7fc0dead;
constexpr uint32_t blockRows = 16, blockThreads = 512;

struct Problem {
  uint32_t tokens, topk, experts;
};

struct Lists {
  std::vector<int32_t> sortedIds, expertIds, numValid;
};

/// What callers allocate. Without min() it would be too small when ids repeat
/// within a token and topk > experts.
size_t rowBound(const Problem &p) {
  size_t rows = size_t(p.tokens) * p.topk + p.experts * blockRows -
                std::min(p.topk, p.experts);
  return (rows + blockRows - 1) / blockRows * blockRows;
}

/// The lists by definition, in arrays of the size that callers allocate; what
/// the kernel must leave alone is poison.
Lists referenceLists(const Problem &p, const std::vector<int32_t> &ids) {
  std::vector<std::vector<int32_t>> perExpert(p.experts);
  for (size_t pair = 0; pair < ids.size(); ++pair)
    if (ids[pair] >= 0 && uint32_t(ids[pair]) < p.experts)
      perExpert[ids[pair]].push_back(
          int32_t((pair % p.topk) << 24 | pair / p.topk));
  Lists lists;
  for (uint32_t expert = 0; expert < p.experts; ++expert) {
    auto &rows = perExpert[expert];
    while (rows.size() % blockRows)
      rows.push_back(int32_t(p.topk << 24 | p.tokens));
    lists.sortedIds.insert(lists.sortedIds.end(), rows.begin(), rows.end());
    lists.expertIds.insert(lists.expertIds.end(), rows.size() / blockRows,
                           int32_t(expert));
  }
  lists.numValid = {int32_t(lists.sortedIds.size()), int32_t(p.tokens)};
  lists.sortedIds.resize(rowBound(p), poison);
  lists.expertIds.resize(rowBound(p) / blockRows, poison);
  return lists;
}

Lists runRoute(Problem p, const std::vector<int32_t> &ids) {
  DeviceArray<int32_t> topkIds(ids);
  DeviceArray<int32_t> sortedIds(std::vector<int32_t>(rowBound(p), poison));
  DeviceArray<int32_t> expertIds(
      std::vector<int32_t>(rowBound(p) / blockRows, poison));
  DeviceArray<int32_t> numValid(std::vector<int32_t>(2, poison));
  void *pointers[] = {topkIds.pointer(), sortedIds.pointer(),
                      expertIds.pointer(), numValid.pointer()};
  launch("route", {}, blockThreads,
         {&pointers[0], &pointers[1], &pointers[2], &pointers[3], &p.tokens,
          &p.topk, &p.experts});
  return {sortedIds.values(), expertIds.values(), numValid.values()};
}

void compare(const char *what, const std::vector<int32_t> &found,
             const std::vector<int32_t> &expected) {
  REQUIRE(found.size() == expected.size());
  auto at = std::mismatch(found.begin(), found.end(), expected.begin());
  if (at.first != found.end())
    FAIL(what << "[" << (at.first - found.begin()) << "]: expected 0x"
              << std::hex << *at.second << ", found 0x" << *at.first);
}

/// How the ids of a problem are drawn.
struct Pattern {
  const char *name;
  std::vector<int32_t> (*draw)(const Problem &, std::mt19937 &);
};

template <typename Id> std::vector<int32_t> fill(const Problem &p, Id id) {
  std::vector<int32_t> ids(size_t(p.tokens) * p.topk);
  for (size_t pair = 0; pair < ids.size(); ++pair)
    ids[pair] = id(pair);
  return ids;
}

/// As a router draws them: distinct within a token while there are enough.
std::vector<int32_t> drawDistinct(const Problem &p, std::mt19937 &random) {
  std::vector<int32_t> experts(p.experts);
  std::iota(experts.begin(), experts.end(), 0);
  return fill(p, [&](size_t pair) {
    size_t slot = pair % p.topk % p.experts;
    std::swap(experts[slot], experts[slot + random() % (p.experts - slot)]);
    return experts[slot];
  });
}

const Pattern patterns[] = {
    {"distinct experts in a token", drawDistinct},
    {"experts with repetition in a token",
     [](const Problem &p, std::mt19937 &random) {
       return fill(p, [&](size_t) { return int32_t(random() % p.experts); });
     }},
    {"one expert for all slots of a token",
     [](const Problem &p, std::mt19937 &random) {
       int32_t id = 0;
       return fill(p, [&](size_t pair) {
         return pair % p.topk ? id : id = int32_t(random() % p.experts);
       });
     }},
    {"all on the last expert",
     [](const Problem &p, std::mt19937 &) {
       return fill(p, [&](size_t) { return int32_t(p.experts - 1); });
     }},
    {"no valid id",
     [](const Problem &p, std::mt19937 &) {
       return fill(p, [](size_t) { return -1; });
     }},
    {"ids in and out of range",
     [](const Problem &p, std::mt19937 &random) {
       const int32_t odd[] = {
           -1,        int32_t(p.experts), int32_t(p.experts + 1),
           1024,      0x40000000,         INT32_MAX,
           INT32_MIN, INT32_MIN + 1};
       return fill(p, [&](size_t) {
         return random() % 2 ? odd[random() % std::size(odd)]
                             : int32_t(random() % p.experts);
       });
     }},
};

void checkRoute(const Problem &p, const Pattern &pattern) {
  // Seeded by the case, so that one case can be run alone.
  std::seed_seq seed{testSeed(), p.tokens, p.topk, p.experts};
  std::mt19937 random(seed);
  INFO("case: tokens=" << p.tokens << " topk=" << p.topk
                       << " experts=" << p.experts << ", " << pattern.name);
  INFO("again: " << rerunCommand("[route]"));
  std::vector<int32_t> ids = pattern.draw(p, random);
  Lists expected = referenceLists(p, ids);
  Lists found = runRoute(p, ids);
  compare("num_valid", found.numValid, expected.numValid);
  compare("expert_ids", found.expertIds, expected.expertIds);
  compare("sorted_ids", found.sortedIds, expected.sortedIds);
}

} // namespace

TEST_CASE("R07_route_any_number_of_experts", "[route]") {
  // Waves own 64 * ceil(pairs / 512) pairs and fetch 512 at a time: 64 * 64
  // pairs are fetched once, 257 * 64 again, 16 and less leave waves idle.
  for (uint32_t tokens : {1, 3, 16, 64, 257})
    for (uint32_t experts : {1, 33, 129, 257, 384, 385, 896, 1024})
      for (uint32_t topk : {1, 2, 8, 64})
        for (const Pattern &pattern : patterns)
          checkRoute({tokens, topk, experts}, pattern);
}

TEST_CASE("R05_route_many_tokens", "[route]") {
  for (uint32_t experts : {1, 384, 1024})
    for (uint32_t topk : {1, 7, 8, 64})
      for (const Pattern &pattern : patterns)
        checkRoute({1000, topk, experts}, pattern);
  // 8192 * 8 pairs: 16 fetches a wave.
  checkRoute({8192, 8, 384}, patterns[0]);
}

TEST_CASE("R06_route_no_tokens", "[route]") {
  for (uint32_t experts : {1, 384, 1024})
    for (uint32_t topk : {1, 8, 64})
      checkRoute({0, topk, experts}, patterns[0]);
}

TEST_CASE("R12_route_is_deterministic", "[route]") {
  Problem p{257, 8, 385};
  std::mt19937 random(testSeed());
  std::vector<int32_t> ids = drawDistinct(p, random);
  Lists first = runRoute(p, ids);
  for (int run = 0; run < 3; ++run) {
    Lists again = runRoute(p, ids);
    INFO("again: " << rerunCommand("[route]"));
    compare("num_valid", again.numValid, first.numValid);
    compare("expert_ids", again.expertIds, first.expertIds);
    compare("sorted_ids", again.sortedIds, first.sortedIds);
  }
}
