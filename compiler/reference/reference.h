// The meaning of a layer: an interpreter of the moe dialect on the host.
//
// Everything is f64; results are rounded once, to nearest even, where a stage's
// result type says so. Obvious rather than fast, and it shares no code with
// the lowering: what both get right, they get right independently.
#pragma once

#include "compiler/include/moec/compiler.h"
#include "compiler/pipeline/diagnostics.h"
#include "runtime/base/status.h"

#include <cstdint>
#include <span>
#include <string>

namespace moec {

/// The arguments of moec_reference_run (moec/compiler.h).
struct ReferenceCall {
  std::string module;
  std::string problem;
  int64_t tokens = 0;
  std::span<const moec_reference_tensor> tensors;
  moec_reference_weights weights = nullptr;
  void *weightsContext = nullptr;
  std::span<float> result;
};

/// Runs the layer. On failure diagnostics have been added to `diagnostics`.
ErrorCode runReference(const ReferenceCall &call, DiagnosticList &diagnostics);

} // namespace moec
