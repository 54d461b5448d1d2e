// The kernels of `kernels/`, embedded in the library: stages, layers and
// support kernels need no files at run time.
#pragma once

#include <span>
#include <string_view>

namespace moec {

/// One file of kernels/: KIND/NAME.mlir.
struct EmbeddedKernel {
  std::string_view kind; ///< "layers", "stages" or "support".
  std::string_view name;
  std::string_view text;
};

/// All of them, sorted by kind, then name.
std::span<const EmbeddedKernel> embeddedKernels();

/// The text of kernels/KIND/NAME.mlir, empty if there is none.
std::string_view embeddedKernel(std::string_view kind, std::string_view name);

} // namespace moec
