// Routings that a layer must survive, by name: from uniform to none at all.
#pragma once

#include "runtime/base/status.h"
#include "tools/moec/generator.h"

#include <string>
#include <vector>

namespace moec::tool {

/// Top-k of every token: `ids` and `weights` are [tokens, topk].
struct Routing {
  std::vector<int32_t> ids;
  std::vector<float> weights;

  bool valid(size_t pair, int64_t experts) const {
    return ids[pair] >= 0 && ids[pair] < experts;
  }
  bool anyValid(int64_t experts) const;
};

struct RoutingKind {
  const char *name;
  const char *what;
  void (*fill)(Random &random, int64_t token, int64_t experts,
               std::vector<int32_t> &ids);
};

/// All kinds, in the order in which tests run them.
const std::vector<RoutingKind> &routingKinds();
Expected<const RoutingKind *> findRoutingKind(const std::string &name);

/// Ids by `kind`; weights positive, of sum 1 a token, as a softmax gives them.
Routing makeRouting(const RoutingKind &kind, uint64_t seed, int64_t tokens,
                    int64_t topk, int64_t experts);

} // namespace moec::tool
