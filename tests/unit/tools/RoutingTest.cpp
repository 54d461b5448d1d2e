// Every kind of routing keeps what its name promises.
#include "tools/moec/routing.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace moec::tool;

namespace {
constexpr int64_t tokens = 40, topk = 4, experts = 9;

Routing make(const char *name) {
  return makeRouting(**findRoutingKind(name), 11, tokens, topk, experts);
}

std::set<int32_t> idsOf(const Routing &routing, int64_t token) {
  auto first = routing.ids.begin() + token * topk;
  return {first, first + topk};
}
} // namespace

TEST_CASE("Routing_weights_sumToOneAndArePositive") {
  for (const RoutingKind &kind : routingKinds()) {
    Routing routing = makeRouting(kind, 11, tokens, topk, experts);
    REQUIRE(routing.weights.size() == size_t(tokens * topk));
    for (int64_t token = 0; token < tokens; ++token) {
      double sum = 0;
      for (int64_t slot = 0; slot < topk; ++slot) {
        CHECK(routing.weights[size_t(token * topk + slot)] > 0);
        sum += double(routing.weights[size_t(token * topk + slot)]);
      }
      CHECK(sum == Approx(1).epsilon(1e-6));
    }
  }
}

TEST_CASE("Routing_uniformAndSkewed_areDistinctAndInRange") {
  for (const char *name : {"uniform", "skewed", "same"}) {
    Routing routing = make(name);
    for (size_t pair = 0; pair < routing.ids.size(); ++pair)
      CHECK(routing.valid(pair, experts));
    for (int64_t token = 0; token < tokens; ++token)
      CHECK(idsOf(routing, token).size() == size_t(topk));
  }
}

TEST_CASE("R05 Routing_one_sendsEveryTokenToOneExpert") {
  Routing routing = make("one");
  for (int64_t token = 0; token < tokens; ++token)
    CHECK(idsOf(routing, token) == std::set<int32_t>{-1, int32_t(experts - 1)});
}

TEST_CASE("R05 Routing_duplicates_nameOneExpertATokenInAllSlots") {
  Routing routing = make("duplicates");
  for (int64_t token = 0; token < tokens; ++token)
    CHECK(idsOf(routing, token).size() == 1);
}

TEST_CASE("R05 Routing_dropped_hasTokensWithoutAnyExpert") {
  Routing routing = make("dropped");
  for (int64_t token = 0; token < tokens; token += 3)
    for (int64_t slot = 0; slot < topk; ++slot)
      CHECK_FALSE(routing.valid(size_t(token * topk + slot), experts));
  CHECK(std::any_of(routing.ids.begin(), routing.ids.end(),
                    [](int32_t id) { return id >= 0 && id < experts; }));
  CHECK(std::count(routing.ids.begin(), routing.ids.end(), int32_t(experts)) >
        0);
}

TEST_CASE("R07 Routing_moreSlotsThanExperts_leavesMinusOne") {
  Routing routing = makeRouting(**findRoutingKind("uniform"), 1, 5, 8, 3);
  for (int64_t token = 0; token < 5; ++token) {
    std::set<int32_t> ids(routing.ids.begin() + token * 8,
                          routing.ids.begin() + token * 8 + 8);
    CHECK(ids == std::set<int32_t>{-1, 0, 1, 2});
  }
}

TEST_CASE("R42 Routing_unknownName_listsTheKnown") {
  auto found = findRoutingKind("emtpy");
  REQUIRE_FALSE(found);
  CHECK(found.status().code() == moec::ErrorCode::Usage);
  CHECK(found.status().message() == "unknown routing 'emtpy' (did you mean "
                                    "'empty'?); known: uniform, skewed, "
                                    "same, one, duplicates, dropped, empty");
}
