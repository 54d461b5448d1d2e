// Fills the tensors of a layer; see operands.h.
#include "tools/moec/operands.h"

#include <fmt/format.h>

#include <numeric>

namespace moec::tool {

int64_t elementsPerToken(const Tensor &tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), int64_t(1),
                         std::multiplies<>());
}

bool hasRowPerPair(const Tensor &tensor) { return tensor.shape.size() > 1; }

std::vector<const Tensor *> tensorsOf(const std::vector<Tensor> &tensors,
                                      const std::string &role) {
  std::vector<const Tensor *> found;
  for (const Tensor &tensor : tensors)
    if (tensor.role == role)
      found.push_back(&tensor);
  return found;
}

ExpertBytes expertBytes(const Tensor &weights) {
  uint64_t experts = uint64_t(weights.shape.front());
  return {weights.bytes / experts, weights.scaleBytes / experts};
}

void fillExpert(const Tensor &weights, uint64_t seed, int64_t expert,
                void *values, void *scales) {
  ExpertBytes bytes = expertBytes(weights);
  fillInt4(Random(seed, weights.name, uint64_t(expert)), weights.shape.back(),
           values, bytes.values, scales, bytes.scales);
}

template <typename T> static std::string toBytes(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

Expected<Operands> makeOperands(const std::vector<Tensor> &tensors,
                                const Problem &problem, const Draw &draw) {
  Operands operands;
  operands.tokens = draw.tokens;
  operands.routing = makeRouting(*draw.routing, draw.seed, draw.tokens,
                                 problem.topk, problem.experts);
  for (const Tensor *tensor : tensorsOf(tensors, "input")) {
    InputTensor input{tensor->name, ""};
    if (tensor->dtype == "i32")
      input.bytes = toBytes(operands.routing.ids);
    else if (tensor->dtype == "f32")
      input.bytes = toBytes(operands.routing.weights);
    else if (tensor->dtype == "bf16")
      input.bytes = toBytes(
          makeActivations(Random(draw.seed, tensor->name),
                          size_t(draw.tokens * elementsPerToken(*tensor))));
    else
      return Status(ErrorCode::Unsupported,
                    fmt::format("input '{}' has elements of {}; moec makes up "
                                "bf16 rows, i32 ids and f32 router weights",
                                tensor->name, tensor->dtype));
    operands.inputs.push_back(std::move(input));
  }
  return operands;
}

} // namespace moec::tool
