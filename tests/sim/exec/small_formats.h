// The OCP formats by their definition, for tests: written from the OCP
// Microscaling specification, not from the simulator.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace small_formats {

struct Format {
  const char *name;
  int exponentBits, mantissaBits, bias;
  /// What the largest exponent means: nothing special; only the last code is
  /// NaN; infinity and NaNs.
  enum { Finite, LastIsNan, Ieee } special;
  int bits() const { return 1 + exponentBits + mantissaBits; }
  unsigned codes() const { return 1u << bits(); }
  unsigned signBit() const { return codes() / 2; }
};
/// By format number of the f8f6f4 instructions.
constexpr Format formats[] = {{"fp8", 4, 3, 7, Format::LastIsNan},
                              {"bf8", 5, 2, 15, Format::Ieee},
                              {"fp6", 2, 3, 1, Format::Finite},
                              {"bf6", 3, 2, 3, Format::Finite},
                              {"fp4", 2, 1, 1, Format::Finite}};

inline double valueOf(const Format &f, unsigned code) {
  unsigned m = code & ((1u << f.mantissaBits) - 1);
  unsigned e = code >> f.mantissaBits & ((1u << f.exponentBits) - 1);
  unsigned top = (1u << f.exponentBits) - 1;
  double sign = code & f.signBit() ? -1 : 1;
  if (f.special == Format::Ieee && e == top)
    return m ? std::numeric_limits<double>::quiet_NaN() : sign * INFINITY;
  if (f.special == Format::LastIsNan && e == top && m + 1 == 1u << f.mantissaBits)
    return std::numeric_limits<double>::quiet_NaN();
  double fraction = m / std::pow(2.0, f.mantissaBits) + (e ? 1 : 0);
  return sign * fraction * std::pow(2.0, (e ? int(e) : 1) - f.bias);
}

inline unsigned largestFinite(const Format &f) {
  unsigned code = f.signBit() - 1;
  while (!std::isfinite(valueOf(f, code)))
    --code;
  return code;
}

/// The code nearest to x by search; ties go to the even code. Beyond the range
/// the formats with NaN or infinity overflow, the others stay at the largest.
inline unsigned nearest(const Format &f, double x) {
  unsigned sign = std::signbit(x) ? f.signBit() : 0, largest = largestFinite(f);
  double magnitude = std::fabs(x), top = valueOf(f, largest);
  double beyond = top + (top - valueOf(f, largest - 1)) / 2; // Half a step on.
  bool overflows = magnitude > beyond || (magnitude == beyond && largest % 2);
  if (f.special == Format::Finite)
    overflows = false; // NaN and too large: the largest.
  if (std::isnan(x))
    return sign | (f.special == Format::Finite ? largest : f.signBit() - 1);
  if (overflows)
    return sign | (f.special == Format::Ieee ? largest + 1 : f.signBit() - 1);
  unsigned best = 0;
  for (unsigned c = 1; c <= largest; ++c) {
    double d = std::fabs(valueOf(f, c) - magnitude), b = std::fabs(valueOf(f, best) - magnitude);
    if (d < b || (d == b && c % 2 == 0))
      best = c;
  }
  return sign | (magnitude >= top ? largest : best);
}

/// Bits [bit, bit + width) of packed dwords, read and written.
inline unsigned codeAt(const uint32_t *words, unsigned index, unsigned width) {
  unsigned code = 0;
  for (unsigned i = 0; i < width; ++i) {
    unsigned bit = index * width + i;
    code |= (words[bit / 32] >> bit % 32 & 1) << i;
  }
  return code;
}
inline void putCode(uint32_t *words, unsigned index, unsigned width, unsigned code) {
  for (unsigned i = 0; i < width; ++i) {
    unsigned bit = index * width + i;
    words[bit / 32] = (words[bit / 32] & ~(1u << bit % 32)) | (code >> i & 1) << bit % 32;
  }
}

} // namespace small_formats
