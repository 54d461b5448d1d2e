// The table of routings; see routing.h.
#include "tools/moec/routing.h"

#include "tools/moec/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace moec::tool {
namespace {

using Ids = std::vector<int32_t>;

/// Draws until the id is new in this token; more slots than experts leave -1.
template <typename Draw>
void fillDistinct(Ids &ids, int64_t experts, Draw draw) {
  for (size_t slot = 0; slot < ids.size(); ++slot) {
    ids[slot] = -1;
    if (int64_t(slot) >= experts)
      continue;
    auto taken = [&](int32_t id) {
      return std::find(ids.begin(), ids.begin() + slot, id) !=
             ids.begin() + slot;
    };
    int32_t id = draw();
    for (int64_t tries = 0; tries < 64 && taken(id); ++tries)
      id = draw();
    while (taken(id))
      id = int32_t((id + 1) % experts);
    ids[slot] = id;
  }
}

void uniform(Random &random, int64_t, int64_t experts, Ids &ids) {
  fillDistinct(ids, experts,
               [&] { return int32_t(random.below(uint64_t(experts))); });
}

void skewed(Random &random, int64_t, int64_t experts, Ids &ids) {
  fillDistinct(ids, experts, [&] {
    return int32_t(std::pow(random.uniform(), 4.0) * double(experts));
  });
}

void same(Random &, int64_t, int64_t experts, Ids &ids) {
  int32_t id = int32_t(experts / 2);
  fillDistinct(ids, experts, [&] { return id; });
}

void one(Random &, int64_t, int64_t experts, Ids &ids) {
  std::fill(ids.begin(), ids.end(), -1);
  ids[ids.size() / 2] = int32_t(experts - 1);
}

void duplicates(Random &random, int64_t, int64_t experts, Ids &ids) {
  std::fill(ids.begin(), ids.end(), int32_t(random.below(uint64_t(experts))));
}

/// Every third token keeps nothing, the others lose about half of their slots,
/// to -1 and to ids out of range on either side.
void dropped(Random &random, int64_t token, int64_t experts, Ids &ids) {
  const int32_t wrong[] = {-1, int32_t(experts),
                           std::numeric_limits<int32_t>::max(),
                           std::numeric_limits<int32_t>::min()};
  uniform(random, token, experts, ids);
  for (int32_t &id : ids)
    if (token % 3 == 0 || random.below(2) == 0)
      id = wrong[random.below(std::size(wrong))];
}

void empty(Random &, int64_t, int64_t, Ids &ids) {
  std::fill(ids.begin(), ids.end(), -1);
}

} // namespace

bool Routing::anyValid(int64_t experts) const {
  for (size_t pair = 0; pair < ids.size(); ++pair)
    if (valid(pair, experts))
      return true;
  return false;
}

const std::vector<RoutingKind> &routingKinds() {
  static const std::vector<RoutingKind> kinds = {
      {"uniform", "distinct experts, all equally likely", uniform},
      {"skewed", "distinct experts, low numbers far more likely", skewed},
      {"same", "every token has the same experts", same},
      {"one", "one expert gets every token, the other slots are -1", one},
      {"duplicates", "all slots of a token name one expert", duplicates},
      {"dropped", "ids of -1 and out of range; some tokens have no expert",
       dropped},
      {"empty", "every id is -1: no expert gets a token", empty},
  };
  return kinds;
}

Expected<const RoutingKind *> findRoutingKind(const std::string &name) {
  std::vector<std::string> names;
  for (const RoutingKind &kind : routingKinds()) {
    if (name == kind.name)
      return &kind;
    names.push_back(kind.name);
  }
  return Status(ErrorCode::Usage,
                fmt::format("unknown routing '{}'{}; known: {}", name,
                            suggestion(name, names), join(names, ", ")));
}

Routing makeRouting(const RoutingKind &kind, uint64_t seed, int64_t tokens,
                    int64_t topk, int64_t experts) {
  Routing routing;
  for (int64_t token = 0; token < tokens; ++token) {
    Random random(seed, "routing", uint64_t(token));
    Ids ids(size_t(topk), -1);
    kind.fill(random, token, experts, ids);
    routing.ids.insert(routing.ids.end(), ids.begin(), ids.end());
    std::vector<double> exponentials(static_cast<size_t>(topk));
    double sum = 0;
    for (double &value : exponentials)
      sum += value = std::exp(2 * random.uniform());
    for (double value : exponentials)
      routing.weights.push_back(float(value / sum));
  }
  return routing;
}

} // namespace moec::tool
