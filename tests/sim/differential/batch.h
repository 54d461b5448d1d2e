// A batch of generated kernels: compiled, run on the host and on the simulated
// device, compared.
#pragma once

#include "tests/sim/differential/compile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace differential {

struct Options {
  uint64_t seed = 1;       ///< Of the first kernel.
  uint64_t count = 100;    ///< Kernels; consecutive seeds.
  uint64_t batch = 10;     ///< Kernels a file.
  int level = -1;          ///< -O level for the device; by seed when negative.
  int jobs = 1;            ///< Processes.
  std::string arch;        ///< One of the two; both when empty.
  std::string directory;   ///< Where sources and code objects are made.
  std::string source;      ///< An edited kernel instead of the generated one.
  bool keep = false;       ///< Also those of kernels that passed.
};

struct Failure {
  uint64_t seed;
  std::string arch, text;
  int level;
};

/// Runs the kernels with these seeds; what does not agree is added.
void runBatch(const Options &options, const std::vector<uint64_t> &seeds, std::vector<Failure> &failures);

} // namespace differential
