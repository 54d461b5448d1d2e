// The kernels that the checks are tried on: how each is launched, so that all
// of its code runs, and what its buffers hold afterwards.
#pragma once

#include "runtime/hipsim/hip/hip_api.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hipsim::test {

struct KernelArgumentValue {
  enum Kind { Words, Floats, Zeros, Scalar, Scalar64 } kind;
  uint64_t amount; ///< Bytes of a buffer, or the value.
};

struct KernelCase {
  const char *source; ///< File of tests/sim/kernels without ".c".
  const char *kernel;
  unsigned grid, block, dynamicLds;
  std::vector<KernelArgumentValue> arguments;
  /// The result depends on the order of workgroups (tickets).
  bool orderDependent = false;
};

const std::vector<KernelCase> &corpus();

struct RunResult {
  hipError_t error = hipSuccess;
  std::string report;
  std::vector<uint8_t> memory; ///< All buffers.
};
/// Loads `code` and runs the case; resets the device after an error.
RunResult runCase(const KernelCase &kernelCase, const std::vector<uint8_t> &code);

std::vector<uint8_t> readCode(const KernelCase &kernelCase, const std::string &level);

} // namespace hipsim::test
