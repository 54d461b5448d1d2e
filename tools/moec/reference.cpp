// Asks the reference for a result; see reference.h.
#include "tools/moec/reference.h"

#include <fmt/format.h>

namespace moec::tool {

std::string planName(const Bundle &bundle, const Problem &problem) {
  for (const Plan &plan : bundle.plans)
    if (plan.problem == problem.canonical())
      return plan.layer;
  return "";
}

Expected<std::string> layerText(const Bundle &bundle, const std::string &plan) {
  for (const Text &text : bundle.texts)
    if (text.kind == "layer" && text.name == plan)
      return text.text;
  return Status(ErrorCode::Content,
                fmt::format("the bundle does not carry the text of '{}', which "
                            "the check needs",
                            plan));
}

Reference::Reference(CompilerLibrary compiler, std::string module,
                     Problem problem, std::vector<Tensor> tensors,
                     uint64_t seed)
    : compiler(std::move(compiler)), module(std::move(module)),
      problem(std::move(problem)), tensors(std::move(tensors)), seed(seed) {}

int Reference::weightsOf(void *context, const char *name, int64_t expert,
                         void *values, size_t valuesSize, void *scales,
                         size_t scalesSize) {
  const auto &self = *static_cast<const Reference *>(context);
  for (const Tensor *tensor : tensorsOf(self.tensors, "weights")) {
    if (tensor->name != name)
      continue;
    ExpertBytes bytes = expertBytes(*tensor);
    if (bytes.values != valuesSize || bytes.scales != scalesSize)
      return int(ErrorCode::Content);
    fillExpert(*tensor, self.seed, expert, values, scales);
    return 0;
  }
  return int(ErrorCode::Content);
}

Expected<std::vector<float>> Reference::run(const Operands &operands) const {
  std::vector<moec_reference_tensor> inputs;
  for (const InputTensor &input : operands.inputs)
    inputs.push_back(
        {input.name.c_str(), input.bytes.data(), input.bytes.size()});
  const Tensor &output = *tensorsOf(tensors, "output").front();
  std::vector<float> result(size_t(operands.tokens * elementsPerToken(output)));
  CompilerReply reply =
      compiler.reference(module, problem.canonical(), operands.tokens, inputs,
                         weightsOf, const_cast<Reference *>(this), result);
  if (int code = reportReply(reply))
    return Status(ErrorCode(code), "the reference failed (see above)");
  return result;
}

} // namespace moec::tool
