// The operands of one run: everything from a seed, by tensor.
//
// A layer lists its tensors; what one gets follows from its role and element
// type, so that a stage alone and a whole layer are filled by the same code.
#pragma once

#include "runtime/base/problem.h"
#include "runtime/bundle/bundle.h"
#include "tools/moec/routing.h"

namespace moec::tool {

/// What to draw.
struct Draw {
  uint64_t seed = 0;
  int64_t tokens = 0;
  const RoutingKind *routing = nullptr;
};

struct InputTensor {
  std::string name;
  std::string bytes;
};

struct Operands {
  int64_t tokens = 0;
  Routing routing;
  std::vector<InputTensor> inputs;
};

/// The inputs among `tensors` for `draw`; an error if an input's type is none
/// that a layer has.
Expected<Operands> makeOperands(const std::vector<Tensor> &tensors,
                                const Problem &problem, const Draw &draw);

/// Values and scales of one expert of a weight tensor, in `ct_pack`.
struct ExpertBytes {
  size_t values = 0, scales = 0;
};
ExpertBytes expertBytes(const Tensor &weights);
void fillExpert(const Tensor &weights, uint64_t seed, int64_t expert,
                void *values, void *scales);

/// Elements a token of an input or output; whether it has a row for every pair
/// of a token and a slot, not one a token.
int64_t elementsPerToken(const Tensor &tensor);
bool hasRowPerPair(const Tensor &tensor);

/// The tensors of a role: "input", "output", "weights".
std::vector<const Tensor *> tensorsOf(const std::vector<Tensor> &tensors,
                                      const std::string &role);

} // namespace moec::tool
