// A request to the compiler: the JSON of moec/compiler.h as a struct.
//
// Only names and shapes of the JSON are checked here; what the inputs say is
// for later.
#pragma once

#include "dialects/target/target.h"
#include "runtime/base/problem.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace moec {

/// The rungs of the ladder, highest first, and the bundle at its end.
enum class Rung { Stage, Tile, Rocdl, Llvm, Asm, Hsaco, Bundle };

/// "stage", "tile", ...
std::string_view rungName(Rung rung);

/// A text given to the compiler; `name` is what messages call it.
struct Input {
  std::string name;
  std::string text;
};

struct Request {
  enum class Op { Compile, Targets, Describe };
  Op op = Op::Compile;
  const Target *target = nullptr; ///< Op::Compile: never null.
  std::optional<Problem> problem;
  std::vector<int64_t> buckets = {16}; ///< Ascending, without repeats.
  std::vector<Input> inputs;
  std::string standalone;
  std::string schedule;
  std::optional<Rung> from; ///< Nothing: seen from the inputs.
  Rung emit = Rung::Bundle;
};

/// Parses and checks a request. Errors of code Usage name the field, what was
/// found and what is known.
Expected<Request> parseRequest(std::string_view json);

} // namespace moec
