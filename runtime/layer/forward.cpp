// Carrying out prepared launches. Nothing here may compile, load, allocate,
// synchronise or read from the device (R20): it runs while a stream is being
// captured. Error paths may allocate; they come before the first launch.
#include "runtime/layer/layer.h"

#include "runtime/bundle/element_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace moec {
namespace {

constexpr size_t maxArguments = 64; // Layer::tensors refuses more.
constexpr uintptr_t workspaceAlignment = 256;

/// HIP's way to pass a whole argument block.
void *const launchBufferPointer = reinterpret_cast<void *>(1);
void *const launchBufferSize = reinterpret_cast<void *>(2);
void *const launchEnd = reinterpret_cast<void *>(3);

/// Rows that are multiples of 16 bytes are read 16 bytes at a time. Layer::tensors
/// has refused element types without a size.
uintptr_t alignmentOf(const Tensor &tensor) {
  int64_t element = elementBytes(tensor.dtype), bytes = element;
  for (int64_t extent : tensor.shape)
    bytes *= extent;
  return bytes % 16 == 0 ? 16 : uintptr_t(element);
}

} // namespace

/// The smallest prepared bucket for `tokens`, null if all are smaller.
const Layer::Program *Layer::programFor(int64_t tokens) const {
  auto found = std::lower_bound(
      programs.begin(), programs.end(), tokens,
      [](const Program &p, int64_t wanted) { return p.bucket < wanted; });
  return found == programs.end() ? nullptr : &*found;
}

Status Layer::notPrepared(int64_t tokens) const {
  std::string what;
  for (const Tensor &tensor : described)
    if (tensor.role == "weights")
      what += fmt::format("{}weights '{}' at {} for stage '{}'",
                          what.empty() ? "" : " and ", tensor.name,
                          weightsPointer(tensor.name), tensor.stage);
  std::vector<int64_t> ready = preparedBuckets();
  return {ErrorCode::NotPrepared,
          fmt::format("layer '{}' is not prepared for {} tokens: {}, bucket {}; "
                      "prepared are the buckets {}; call moec_layer_prepare with a "
                      "bucket of at least {} before this forward and outside of a "
                      "capture",
                      query.layer, tokens,
                      what.empty() ? "no weights are bound" : what, tokens,
                      ready.empty() ? "none"
                                    : fmt::format("{}", fmt::join(ready, ", ")),
                      tokens)};
}

/// Finds the caller's pointer for every input and output.
Status Layer::resolve(const ForwardArguments &given, uint8_t **pointers) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Tensor &wanted = arguments[i];
    pointers[i] = nullptr;
    for (const TensorArgument &argument : given.tensors)
      if (!pointers[i] && wanted.name == argument.name)
        pointers[i] = static_cast<uint8_t *>(argument.data);
    if (!pointers[i])
      return {ErrorCode::Usage,
              fmt::format("the {} '{}' ({}, [tokens, {}]) is missing or null",
                          wanted.role, wanted.name, wanted.dtype,
                          fmt::join(wanted.shape, ", "))};
    if (reinterpret_cast<uintptr_t>(pointers[i]) % alignmentOf(wanted))
      return {ErrorCode::Usage,
              fmt::format("the {} '{}' at {} is not aligned to {} bytes",
                          wanted.role, wanted.name,
                          static_cast<void *>(pointers[i]), alignmentOf(wanted))};
  }
  return {};
}

Status Layer::checkWorkspace(const Program &program, const void *given,
                             uint64_t bytes) const {
  if (bytes < program.workspaceBytes)
    return {ErrorCode::Usage,
            fmt::format("bucket {} needs {} bytes of workspace, found {}; ask "
                        "moec_layer_workspace_bytes, or let moec_layer_prepare "
                        "make one",
                        program.bucket, program.workspaceBytes, bytes)};
  if (reinterpret_cast<uintptr_t>(given) % workspaceAlignment)
    return {ErrorCode::Usage, fmt::format("the workspace at {} is not aligned to {} "
                                          "bytes",
                                          given, workspaceAlignment)};
  return {};
}

Status Layer::launchPass(const Program &program, Pointers pointers,
                         uint8_t *space, int64_t firstToken, int64_t tokens,
                         void *stream) const {
  const HipLibrary &hip = context.device().hip();
  alignas(16) uint8_t block[maxKernargBytes];
  for (const auto &[key, record] : program.launches) {
    size_t size = record->arguments.size();
    std::memcpy(block, record->arguments.data(), size);
    for (const Patch &patch : record->patches) {
      switch (patch.kind) {
      case Patch::Kind::Tensor: {
        uint8_t *pointer =
            pointers[patch.tensor] + uint64_t(firstToken) * patch.offset;
        std::memcpy(block + patch.at, &pointer, sizeof pointer);
        break;
      }
      case Patch::Kind::Workspace: {
        uint8_t *pointer = space + patch.offset;
        std::memcpy(block + patch.at, &pointer, sizeof pointer);
        break;
      }
      case Patch::Kind::Tokens: {
        int32_t count = static_cast<int32_t>(tokens);
        std::memcpy(block + patch.at, &count, sizeof count);
        break;
      }
      }
    }
    void *extra[] = {launchBufferPointer, block, launchBufferSize, &size,
                     launchEnd};
    int error = hip.hipModuleLaunchKernel(
        record->function, record->grid[0], record->grid[1], record->grid[2],
        record->block[0], record->block[1], record->block[2], 0, stream, nullptr,
        extra);
    if (error != 0)
      return hip.check(error, "hipModuleLaunchKernel")
          .withContext(fmt::format("layer '{}', stage '{}', bucket {}, {} tokens",
                                   query.layer, key.stage, key.bucket, tokens));
  }
  return {};
}

Status Layer::forward(const ForwardArguments &given) const {
  if (given.tokens < 0 || given.tokens > INT32_MAX)
    return {ErrorCode::Usage, fmt::format("tokens is {}; it must be 0 to {}",
                                          given.tokens, INT32_MAX)};
  if (given.tokens == 0)
    return {};
  const Program *program = programFor(given.tokens);
  if (!program)
    return notPrepared(given.tokens);
  for (const auto &[name, weights] : bound)
    if (weights.unpacked())
      return {ErrorCode::NotPrepared,
              fmt::format("{} experts of the weights '{}' are not packed to the "
                          "layout '{}'; call moec_layer_pack_weights first",
                          weights.unpacked(), name, weights.layout())};
  uint8_t *pointers[maxArguments];
  if (Status status = resolve(given, pointers); !status.ok())
    return status;
  void *space = given.workspace;
  uint64_t spaceBytes = given.workspace ? given.workspaceBytes : 0;
  bool own = !given.workspace && given.workspaceBytes == 0;
  if (own && !workspaces.empty()) {
    space = workspaces.back().data();
    spaceBytes = workspaces.back().bytes();
  }
  if (Status status = checkWorkspace(*program, space, spaceBytes); !status.ok())
    return status;

  CurrentDevice current(context.device().hip(), context.device().ordinal());
  if (!current.status().ok())
    return current.status();
  for (int64_t first = 0; first < given.tokens; first += program->passTokens) {
    int64_t tokens = std::min(program->passTokens, given.tokens - first);
    if (Status status = launchPass(*program, {pointers, arguments.size()},
                                   static_cast<uint8_t *>(space), first, tokens,
                                   given.stream);
        !status.ok())
      return status;
  }
  return {};
}

} // namespace moec
