// One stage over all pairs.
#pragma once

#include "compiler/include/moec/compiler.h"
#include "dialects/moe/Moe.h"
#include "runtime/base/problem.h"
#include "runtime/base/status.h"

#include <map>
#include <string>
#include <vector>

namespace moec::reference {

/// A matrix of activations; every element is a value of `element`.
struct Rows {
  mlir::moe::RowSpace space = mlir::moe::RowSpace::token;
  int64_t cols = 0;
  std::vector<float> data;
};

/// The router's choice: one id and one weight a pair.
struct Routing {
  int64_t tokens = 0, slots = 0, experts = 0;
  std::vector<int32_t> ids;
  std::vector<float> weights;
};

/// What the numbers of a problem make of a size or a group.
class Sizes {
public:
  explicit Sizes(const Problem &problem);
  /// The value of `dim`; an error if the problem does not bind its symbol.
  Expected<int64_t> value(mlir::moe::DimAttr dim) const;
  int64_t group(mlir::moe::QuantAttr format) const;

private:
  std::map<std::string, int64_t> symbols;
  int64_t problemGroup;
};

/// Where weights come from.
struct WeightSource {
  std::string tensor;
  moec_reference_weights fetch;
  void *context;
};

/// Evaluates `stage` for every pair with a valid expert. The result has rows
/// as the stage's type says, each rounded once; rows without a valid pair are
/// zero. Experts are divided among threads.
Expected<Rows> runStage(mlir::moe::StageOp stage, const Sizes &sizes,
                        const Rows &x, const WeightSource &weights,
                        const Routing &routing);

} // namespace moec::reference
