// The int4 layouts `ct_pack` and `i4r3.v1`; their bytes are specified in
// README.md. One dword is eight consecutive k of one channel in both.
#include "runtime/layer/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

namespace moec {
namespace {

constexpr int64_t blockChannels = 16; ///< Channels of one matrix instruction.
constexpr int64_t stepK = 32, fullK = 128, scaleK = 256;

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

std::string checkInt4(const WeightShape &shape) {
  if (shape.n < 1 || shape.n % (2 * blockChannels) != 0)
    return fmt::format("n is {}, it must be a multiple of 32", shape.n);
  if (shape.k < 1 || shape.k % stepK != 0)
    return fmt::format("k is {}, it must be a multiple of 32", shape.k);
  if (shape.group < stepK || scaleK % shape.group != 0)
    return fmt::format("the group is {}, it must be 32, 64, 128 or 256",
                       shape.group);
  return {};
}
uint64_t int4Bytes(const WeightShape &shape) {
  return uint64_t(shape.n) * uint64_t(shape.k) / 2;
}
uint64_t bf16ScaleBytes(const WeightShape &shape) {
  return uint64_t(shape.n) * uint64_t(ceilDiv(shape.k, shape.group)) * 2;
}

/// Nibble e of `word` to bit 4*(e/2) + 16*(e%2), then three bits to the left:
/// the kernel gets two bf16 values, exact, out of one AND and one OR a pair.
uint32_t interleave(uint32_t word) {
  uint32_t even = word & 0x0F0F0F0F, odd = (word >> 4) & 0x0F0F0F0F;
  auto gather = [](uint32_t x) { // Nibbles at 0, 8, 16, 24 to 0, 4, 8, 12.
    x = (x | (x >> 4)) & 0x00FF00FF;
    return (x | (x >> 8)) & 0x0000FFFF;
  };
  uint32_t both = gather(even) | (gather(odd) << 16);
  return (both << 3) | (both >> 29);
}

uint32_t deinterleave(uint32_t word) {
  uint32_t both = (word >> 3) | (word << 29);
  auto spread = [](uint32_t x) {
    x = (x | (x << 8)) & 0x00FF00FF;
    return (x | (x << 4)) & 0x0F0F0F0F;
  };
  return spread(both & 0xFFFF) | (spread(both >> 16) << 4);
}

/// One k-block of an n-block: 16 channels by `steps` (1 to 4) steps of 32 k.
/// Lane l = 16*g4 + j owns dwords l*steps..; its dword d is channel j at k =
/// 32*d + 8*g4. `row` is the distance of two channels of ct_pack, in dwords.
template <bool pack, int steps>
void convertKBlock(const uint32_t *from, uint32_t *to, int64_t row) {
  for (int64_t j = 0; j < blockChannels; ++j)
    for (int64_t g4 = 0; g4 < 4; ++g4)
      for (int64_t d = 0; d < steps; ++d) {
        int64_t inRows = j * row + 4 * d + g4;
        int64_t inLanes = (16 * g4 + j) * steps + d;
        if constexpr (pack)
          to[inLanes] = interleave(from[inRows]);
        else
          to[inRows] = deinterleave(from[inLanes]);
      }
}

template <bool pack>
void convertValues(const void *from, void *to, const WeightShape &shape) {
  auto *source = static_cast<const uint32_t *>(from);
  auto *target = static_cast<uint32_t *>(to);
  int64_t row = shape.k / 8, full = shape.k / fullK;
  // Dwords that one k-block takes in a row of ct_pack and in the lanes.
  constexpr int64_t inRow = fullK / 8, inLanes = blockChannels * inRow;
  auto at = [&](int64_t kb, auto call) {
    call(source + (pack ? kb * inRow : kb * inLanes),
         target + (pack ? kb * inLanes : kb * inRow), row);
  };
  for (int64_t kb = 0; kb < full; ++kb)
    at(kb, convertKBlock<pack, 4>);
  switch (shape.k % fullK / stepK) {
  case 1:
    return at(full, convertKBlock<pack, 1>);
  case 2:
    return at(full, convertKBlock<pack, 2>);
  case 3:
    return at(full, convertKBlock<pack, 3>);
  }
}

template <bool pack>
void convertScales(const void *from, void *to, const WeightShape &shape) {
  auto *source = static_cast<const uint16_t *>(from);
  auto *target = static_cast<uint16_t *>(to);
  int64_t groups = ceilDiv(shape.k, shape.group), perBlock = scaleK / shape.group;
  for (int64_t first = 0; first < groups; first += perBlock) {
    int64_t count = std::min(perBlock, groups - first);
    for (int64_t j = 0; j < blockChannels; ++j)
      for (int64_t s = 0; s < count; ++s) {
        int64_t inRows = j * groups + first + s;
        int64_t inBlocks = first * blockChannels + j * count + s;
        if constexpr (pack)
          target[inBlocks] = source[inRows];
        else
          target[inRows] = source[inBlocks];
      }
  }
}

constexpr Layout layoutTable[] = {
    {"ct_pack", "bf16", checkInt4, int4Bytes, bf16ScaleBytes},
    {"i4r3.v1", "bf16", checkInt4, int4Bytes, bf16ScaleBytes},
};

constexpr Conversion conversionTable[] = {
    {"ct_pack", "i4r3.v1", blockChannels, convertValues<true>,
     convertScales<true>},
    {"i4r3.v1", "ct_pack", blockChannels, convertValues<false>,
     convertScales<false>},
};

/// Calls `body(first, last)` on parts of [0, count) from up to `threads`
/// threads. Runs what no thread could be started for itself.
template <class Body>
void parallelFor(int64_t count, unsigned threads, const Body &body) {
  int64_t share = ceilDiv(count, std::max(1u, threads));
  std::vector<std::thread> helpers;
  int64_t first = share; // [0, share) is this thread's own part.
  for (; first < count; first += share) {
    int64_t last = std::min(count, first + share);
    try {
      helpers.emplace_back([&body, first, last] { body(first, last); });
    } catch (const std::system_error &) {
      break;
    }
  }
  body(0, std::min(count, share));
  if (first < count)
    body(first, count);
  for (std::thread &helper : helpers)
    helper.join();
}

} // namespace

std::span<const Layout> layouts() { return layoutTable; }

const Layout *findLayout(const std::string &id) {
  for (const Layout &layout : layoutTable)
    if (id == layout.id)
      return &layout;
  return nullptr;
}

const Conversion *findConversion(const std::string &from,
                                 const std::string &to) {
  for (const Conversion &conversion : conversionTable)
    if (from == conversion.from && to == conversion.to)
      return &conversion;
  return nullptr;
}

std::string layoutNames() {
  std::string names;
  for (const Layout &layout : layoutTable)
    names += (names.empty() ? "" : ", ") + std::string(layout.id);
  return names;
}

void convertExpert(const Conversion &conversion, WeightPart part,
                   const WeightShape &shape, const void *from, void *to) {
  const Layout &layout = *findLayout(conversion.from);
  WeightShape block = shape;
  block.n = conversion.blockChannels;
  bool values = part == WeightPart::Values;
  uint64_t bytes = values ? layout.valueBytes(block) : layout.scaleBytes(block);
  auto *convert = values ? conversion.values : conversion.scales;

  auto *source = static_cast<const uint8_t *>(from);
  auto *target = static_cast<uint8_t *>(to);
  auto blocks = [&](int64_t first, int64_t last) {
    std::unique_ptr<uint32_t[]> scratch(new uint32_t[(bytes + 3) / 4]);
    for (int64_t b = first; b < last; ++b) {
      uint64_t at = uint64_t(b) * bytes;
      std::memcpy(scratch.get(), source + at, bytes);
      convert(scratch.get(), target + at, block);
    }
  };
  int64_t count = shape.n / conversion.blockChannels;
  // A thread is worth its start from about a megabyte on.
  constexpr uint64_t bytesPerThread = 1 << 20, maxThreads = 8;
  uint64_t worth = uint64_t(count) * bytes / bytesPerThread;
  unsigned threads = unsigned(std::min<uint64_t>(
      {worth, maxThreads, std::max(1u, std::thread::hardware_concurrency())}));
  parallelFor(count, threads, blocks);
}

} // namespace moec
