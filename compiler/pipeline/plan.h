// Layer -> launch plans: which kernels a layer needs for which buckets, and how
// they are launched one after the other.
//
// The only place that decides on workspaces, grids and the binding of kernel
// arguments. It compiles nothing: kernels are named here and made by jobs.
#pragma once

#include "compiler/pipeline/request.h"
#include "dialects/moe/Moe.h"
#include "runtime/bundle/bundle.h"

namespace moec {

/// A kernel that some plan launches.
struct PlannedKernel {
  std::string name;     ///< Unique over all problems, stages and schedules.
  bool support = false; ///< Of kernels/support; else from a stage.
  std::string source;   ///< Symbol of the stage, or name of the support file.
  std::string schedule; ///< Attribute text; "" for support kernels.
  std::vector<int64_t> buckets; ///< Ascending.
};

struct PlannedLayer {
  std::vector<PlannedKernel> kernels;
  /// One a bucket. Launch::kernel indexes `kernels`.
  std::vector<Plan> plans;
};

/// Plans `layer` for the buckets of `request`, with its schedule where given.
///
/// Pre: sizes are bound; the request has a problem. On failure: diagnostics
/// and Content, Usage or Unsupported.
ErrorCode planLayer(mlir::moe::LayerOp layer, const Request &request,
                    PlannedLayer &result);

} // namespace moec
