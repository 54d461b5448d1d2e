// Weight layouts and the conversions between them, as tables.
//
// A layout says how many bytes an expert's weights take; a conversion rewrites a
// block of channels from one layout to another of the same size, which is what
// lets weights be packed in place. The layouts are specified in README.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace moec {

/// The weights of one expert, or a block of its channels.
struct WeightShape {
  int64_t n = 0;     ///< Output channels.
  int64_t k = 0;     ///< Contraction.
  int64_t group = 0; ///< k per scale.
};

struct Layout {
  const char *id;
  const char *scaleType; ///< Element type of its scales.
  /// "" or why the layout cannot hold this shape.
  std::string (*check)(const WeightShape &);
  uint64_t (*valueBytes)(const WeightShape &);
  uint64_t (*scaleBytes)(const WeightShape &);
};

/// Rewrites `blockChannels` channels, out of place. A block's bytes stand
/// together in both layouts, at block * (bytes of a block).
struct Conversion {
  const char *from, *to;
  int64_t blockChannels;
  void (*values)(const void *from, void *to, const WeightShape &block);
  void (*scales)(const void *from, void *to, const WeightShape &block);
};

std::span<const Layout> layouts();
const Layout *findLayout(const std::string &id);
const Conversion *findConversion(const std::string &from, const std::string &to);
/// "ct_pack, i4r3.v1": for messages.
std::string layoutNames();

/// What of an expert a conversion rewrites.
enum class WeightPart { Values, Scales };

/// Converts one expert in host memory; `from` and `to` may be equal but may
/// not overlap otherwise. Uses several threads when it is worth it; scratch is
/// one block a thread.
void convertExpert(const Conversion &conversion, WeightPart part,
                   const WeightShape &shape, const void *from, void *to);

} // namespace moec
