// Random C kernels that mean the same on the host and on the device.
//
// The text depends on the seed alone, on every machine. The kernels use the
// helpers of prelude.h, which keep every operation defined.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace differential {

/// SplitMix64.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15ull + 0x1234567) {}
  uint64_t bits();
  uint32_t below(uint32_t bound) { return uint32_t((bits() >> 32) * bound >> 32); }
  bool chance(uint32_t percent) { return below(100) < percent; }

private:
  uint64_t state;
};

/// The source of the kernel "k<seed>": definitions only, no #include.
std::string kernelSource(uint64_t seed);

/// A whole file with the kernels of some seeds; `prelude` is the path of
/// prelude.h.
std::string batchSource(const std::vector<uint64_t> &seeds, const std::string &prelude);

} // namespace differential
