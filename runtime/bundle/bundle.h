// The one artifact: bundles, cache entries and worker replies are this.
//
// A bundle carries the kernels of one target (code objects with what a loader
// must know of each), the launch plans that string them together, and the text
// of the stages and layers they came from. The compiler writes bundles, the
// runtime reads them; they share nothing else. The file grammar stands in
// format.h, above the reader.
//
// Everything here is plain data. Nothing knows a stage, a format or an
// architecture by name: those are strings to compare, not to interpret.
#pragma once

#include "runtime/base/status.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace moec {

/// One kernel argument as the code object expects it.
struct KernelArg {
  std::string name;
  uint32_t offset = 0; ///< Byte offset in the kernarg segment.
  uint32_t size = 0;   ///< 8 for a pointer, 4 for a 32-bit integer.
};

/// One kernel: an entry point of a code object and what its launch needs.
struct Kernel {
  std::string name;         ///< Unique in the bundle.
  std::string stage;        ///< Stage (or support kernel) it was made from.
  std::string symbol;       ///< Kernel symbol in the code object.
  std::string problem;      ///< Canonical JSON of the problem, "" for any.
  std::string target;       ///< Target id, e.g. "gfx942".
  std::string schedule;     ///< Schedule as printed by the compiler, "" for none.
  std::vector<int64_t> buckets; ///< M-buckets that use it, ascending.
  std::vector<KernelArg> args;
  uint32_t kernargBytes = 0;
  uint32_t block[3] = {1, 1, 1};
  uint32_t vgpr = 0, agpr = 0, sgpr = 0;
  uint32_t vgprSpills = 0, sgprSpills = 0;
  uint32_t ldsBytes = 0, scratchBytes = 0;
  uint32_t wavesPerSimd = 0; ///< Occupancy that registers and LDS allow.
  uint32_t code = 0;         ///< Index into Bundle::code.
};

/// A code object and the hash of its bytes (32 hex digits, XXH3-128). Kernels
/// of equal hash share one loaded module.
struct Code {
  std::string hash;
  std::string bytes;
};

/// Source that went into the bundle, in canonical form.
struct Text {
  std::string kind; ///< "layer" (with its stages: one self-contained module).
  std::string name;
  std::string text;
};

/// Where a kernel argument of a launch comes from.
struct Binding {
  enum class Kind {
    Tensor,    ///< Pointer to a named tensor of the layer.
    Workspace, ///< Pointer to workspace + offset.
    Int32,     ///< The constant `value`.
    Tokens,    ///< Number of tokens of this pass, i32.
  };
  Kind kind = Kind::Int32;
  std::string tensor;      ///< Tensor: name, e.g. "x", "w13", "w13.scale".
  uint64_t offset = 0;     ///< Workspace: bytes from its start.
  uint64_t tokenBytes = 0; ///< Tensor: bytes that one token advances it by, for
                           ///< layers run in several passes; 0 for weights.
  int64_t value = 0;       ///< Int32.
};

/// One kernel launch. The grid is fixed by the bucket, never by the tokens.
struct Launch {
  uint32_t kernel = 0; ///< Index into Bundle::kernels.
  uint32_t grid[3] = {1, 1, 1}; ///< In blocks.
  std::vector<Binding> args;    ///< One for each Kernel::args.
};

/// A tensor that the caller supplies (or owns) for a layer.
struct Tensor {
  std::string name;
  std::string role;  ///< "input", "output" or "weights".
  std::string dtype; ///< "bf16", "f32", "i32"; for weights the format, "int4".
  /// Inputs and outputs: elements a token. Weights: experts, channels (n, all
  /// projections), contraction (k).
  std::vector<int64_t> shape;
  std::string stage;    ///< Weights: the stage that reads them.
  std::string layout;   ///< Weights: kernel-side layout id.
  int64_t projections = 1; ///< Weights: equal parts of n (gate and up: 2).
  int64_t group = 0;       ///< Weights: k per scale, 0 for none.
  std::string scaleType;   ///< Weights: "bf16", "" for none.
  /// Weights: bytes of the values and of the scales, all experts.
  uint64_t bytes = 0, scaleBytes = 0;
};

/// How one layer runs for up to `bucket` tokens. A pass handles up to
/// `passTokens` of them; a layer of more tokens repeats the launches with each
/// tensor advanced by its tokenBytes and the workspace reused.
struct Plan {
  std::string layer;
  std::string problem; ///< Canonical JSON, as in Kernel.
  std::string target;
  int64_t bucket = 0;
  int64_t passTokens = 0;
  uint64_t workspaceBytes = 0; ///< Contents on entry: anything.
  std::vector<Tensor> tensors;
  std::vector<Launch> launches;
};

struct Bundle {
  std::string producer; ///< Build id of the compiler that wrote it.
  std::string target;
  std::vector<Kernel> kernels;
  std::vector<Code> code;
  std::vector<Plan> plans;
  std::vector<Text> texts;
};

/// Serialises `bundle`. Deterministic: equal bundles give equal bytes.
std::string writeBundle(const Bundle &bundle);

/// Parses and verifies a bundle: magic, version, lengths, checksum, every
/// index and every argument count. Never trusts a length. `name` is what
/// messages call the input.
Expected<Bundle> readBundle(std::span<const uint8_t> bytes,
                            const std::string &name);

/// Reads a whole file and parses it.
Expected<Bundle> readBundleFile(const std::string &path);

/// Writes aside, syncs and renames: a reader sees the old file or the new one.
Status writeBundleFile(const Bundle &bundle, const std::string &path);

/// Adds kernels, code, plans and texts of `from` that `into` lacks; code is
/// shared by hash. Fails if the targets differ.
Status mergeBundle(Bundle &into, const Bundle &from);

/// XXH3-128 of `bytes` as 32 lower-case hex digits.
std::string contentHash(std::string_view bytes);

} // namespace moec
