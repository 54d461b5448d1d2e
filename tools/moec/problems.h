// Problems by name (kernels/problems.json, compiled in) or from a file.
//
// Only names are resolved here; what a problem means and whether it can be
// computed is the business of runtime/base/problem.h and of the compiler.
#pragma once

#include "runtime/base/problem.h"

namespace moec::tool {

struct NamedProblem {
  std::string name; ///< As the user wrote it.
  Problem problem;
  std::string target; ///< Where it usually runs, "" if it does not say.
};

/// A name of kernels/problems.json, a JSON file, "-" for stdin, or JSON itself.
Expected<NamedProblem> resolveProblem(const std::string &nameOrFile);

/// Whether `name` is one of the known names.
bool isKnownProblem(const std::string &name);
std::vector<std::string> knownProblems();

/// --buckets: numbers of tokens, or a named set of kernels/problems.json.
Expected<std::vector<int64_t>> resolveBuckets(const std::string &text);

/// The target to use: `chosen`, else the problem's own.
Expected<std::string> resolveTarget(const std::string &chosen,
                                    const NamedProblem &problem);

/// A short name for a problem in canonical JSON: that of kernels/problems.json,
/// "any" for "", else its sizes, as in "160 x 96 E5 top3 int4 g32".
std::string problemLabel(const std::string &canonical);

} // namespace moec::tool
