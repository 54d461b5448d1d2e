// The problem: the numbers and formats that bind a layer's symbols.
//
// One reading, one canonical spelling and one list of checks for the C API,
// the tools and the compiler, so that a problem means the same everywhere and
// equal problems give equal cache keys. It knows no target and no kernel.
#pragma once

#include "runtime/base/status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace moec {

/// One MoE layer as one rank computes it.
struct Problem {
  int64_t hidden = 0;  ///< H: columns of x and of the output.
  int64_t inter = 0;   ///< I: intermediate size on this rank.
  int64_t experts = 0; ///< E: routed experts on this rank.
  int64_t topk = 0;    ///< K: experts a token.
  std::string weights; ///< Format of the weights, e.g. "int4".
  int64_t group = 0;   ///< k per group scale; 0 for none.
  std::string scale = "bf16"; ///< Type of the group scales.
  std::string actDtype = "bf16";
  std::string actFn = "silu";
  std::optional<double> alpha, beta, limit; ///< Of the activation.
  bool bias = false;

  bool operator==(const Problem &) const = default;

  /// JSON with sorted keys and no spaces; what equals compare by. Optional
  /// fields that are absent (and bias = false) are not written.
  std::string canonical() const;
};

/// Parses problem JSON. Unknown keys are errors that list the known ones
/// ("target" and "comment", which data files carry, are skipped). Values are
/// not checked beyond their JSON types; see checkProblem.
Expected<Problem> parseProblem(std::string_view json);

/// Why a problem is refused.
struct Reason {
  ErrorCode code; ///< Usage: no such problem can exist. Unsupported: not yet.
  std::string id; ///< Stable, e.g. "hidden-multiple"; for programs.
  std::string message;
};

/// Every reason against the problem, malformed ones first; empty: supported.
std::vector<Reason> checkProblem(const Problem &problem);

/// Success, or all reasons in one error: Usage if any is, else Unsupported.
Status requireProblem(const Problem &problem);

} // namespace moec
