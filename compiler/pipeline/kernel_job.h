// One kernel from its input to the rung asked for.
//
// A job is plain data: it is parsed again in a context of its own, so that
// jobs run on any thread, and a job that takes LLVM down leaks its context and
// touches no other.
#pragma once

#include "compiler/codegen/codegen.h"
#include "compiler/pipeline/diagnostics.h"
#include "compiler/pipeline/request.h"

namespace moec {

struct KernelJob {
  std::string name;     ///< Of the kernel in bundles, statistics, messages.
  Input input;          ///< Where its stage, program or gpu.module stands.
  Rung from;            ///< Rung of that operation.
  std::string symbol;   ///< Its symbol in the input; "": the only one there.
  std::string schedule; ///< Attribute text; Rung::Stage only.
  std::optional<Problem> problem; ///< Binds sizes; Rung::Stage only.
  const Target *target = nullptr;
  Rung emit = Rung::Hsaco; ///< Not Bundle.
};

struct KernelResult {
  ErrorCode status = ErrorCode::Ok;
  DiagnosticList diagnostics;
  std::string output;              ///< Text of the rung, or the code object.
  std::vector<KernelInfo> kernels; ///< Rung::Hsaco only.
  double msTotal = 0, msPasses = 0, msLlvm = 0, msLink = 0;
  std::string reproducer;
};

/// Runs one job on this thread.
KernelResult runJob(const KernelJob &job);

/// Runs all jobs, as many at a time as the machine has processors. Results
/// are in the order of the jobs.
std::vector<KernelResult> runJobs(const std::vector<KernelJob> &jobs);

} // namespace moec
