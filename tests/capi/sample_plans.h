// Plans for fakehip: small, complete, and never executed.
#pragma once

#include "runtime/bundle/bundle.h"

namespace moec::testing {

/// The problem of every sample: E = 3, H = 160, I = 96, top-2, group 32.
extern const char *const sampleProblem;

/// A bundle with one plan a bucket. Two stages with weights and one without;
/// workspace 1024 * bucket bytes; passes of at most 16 tokens.
Bundle samplePlans(const std::vector<int64_t> &buckets,
                   const std::string &target = "gfx942",
                   const std::string &layer = "sample");

} // namespace moec::testing
