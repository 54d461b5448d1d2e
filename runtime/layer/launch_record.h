// A launch with everything decided but the pointers and the number of tokens.
//
// Records are made by prepare; forward copies the arguments, patches them and
// launches. That is all that R20 lets a forward do.
#pragma once

#include "runtime/bundle/bundle.h"

#include <map>
#include <string>
#include <vector>

namespace moec {

/// Longest argument block; the bundle reader refuses longer ones.
inline constexpr size_t maxKernargBytes = 4096;

struct Patch {
  enum class Kind : uint8_t { Tensor, Workspace, Tokens };
  Kind kind;
  uint32_t at;         ///< Byte in the arguments.
  uint32_t tensor = 0; ///< Tensor: index into Layer's inputs and outputs.
  uint64_t offset = 0; ///< Workspace: bytes; Tensor: bytes a token.
};

struct LaunchRecord {
  void *function = nullptr;
  uint32_t grid[3], block[3];
  std::vector<uint8_t> arguments; ///< With weights and constants in place.
  std::vector<Patch> patches;
};

/// What a record is for: prepare files the records of a layer under it, so that
/// weights which are bound anew get new ones, and errors name it. Forward looks
/// nothing up: prepare leaves it pointers into the table, in launch order. Layers
/// share no records, only the code that these launch. Launches of a stage without
/// weights (routing, combine) stand under the first weights of their layer.
struct RecordKey {
  const void *weights = nullptr;
  std::string stage;
  int64_t bucket = 0;
  auto operator<=>(const RecordKey &) const = default;
};

} // namespace moec
