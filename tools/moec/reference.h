// The same layer in the reference interpreter (compiler/reference), in f64.
#pragma once

#include "tools/moec/compiler_library.h"
#include "tools/moec/operands.h"

namespace moec::tool {

/// One layer, or stage alone, in the reference.
class Reference {
public:
  /// `module`: text of the layer and its stages. The weights are those that
  /// fillExpert makes of `seed`.
  Reference(CompilerLibrary compiler, std::string module, Problem problem,
            std::vector<Tensor> tensors, uint64_t seed);

  /// The result as f32, row-major. Prints the compiler's diagnostics before an
  /// error returns.
  Expected<std::vector<float>> run(const Operands &operands) const;

private:
  static int weightsOf(void *context, const char *name, int64_t expert,
                       void *values, size_t valuesSize, void *scales,
                       size_t scalesSize);

  CompilerLibrary compiler;
  std::string module;
  Problem problem;
  std::vector<Tensor> tensors;
  uint64_t seed;
};

/// The name of the first plan in `bundle` that is for `problem`, "" if none is.
std::string planName(const Bundle &bundle, const Problem &problem);
/// The text of the layer that the plan of this name carries out.
Expected<std::string> layerText(const Bundle &bundle, const std::string &plan);

} // namespace moec::tool
