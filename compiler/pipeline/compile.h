// Serves requests: what stands between the C interface and the ladder.
#pragma once

#include "compiler/pipeline/diagnostics.h"
#include "compiler/pipeline/request.h"

namespace moec {

/// A reply before it becomes JSON and bytes.
struct Outcome {
  /// Time of one kernel, as `moec compile --stats` prints it.
  struct Stats {
    std::string kernel;
    double msTotal, msPasses, msLlvm, msLink;
  };

  ErrorCode status = ErrorCode::Ok;
  DiagnosticList diagnostics;
  std::vector<Stats> stats;
  std::string reproducer;
  std::string data; ///< Empty unless status is Ok.
};

/// Serves a parsed request.
Outcome serve(const Request &request);

} // namespace moec
