// kernels/support/combine.mlir on the simulator against a host reference, bit
// by bit.
//
// Lessons kept here: R03 (rows of invalid slots hold NaN and do not matter),
// R04 (offsets beyond 4 GiB), R05 (a token without a valid slot), R06 (no
// tokens, and a grid larger than the tokens), R10 (one rounding, to nearest
// even, that keeps NaN).

#include "tests/sim/support/simulated_device.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>

using namespace moec::test;

namespace {

constexpr uint16_t poison = 0x7fa5;
constexpr uint32_t blockThreads = 256, blockChannels = 1024;

struct Problem {
  uint32_t tokens, topk, experts, hidden;
};

float asFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The bf16 nearest to `value`, ties to even. NaN has one representative here:
/// which one the kernel produces is not promised.
uint16_t roundToBf16(float value) {
  if (std::isnan(value))
    return 0x7fc0;
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint32_t kept = bits >> 16, rest = bits & 0xffff;
  if (rest > 0x8000 || (rest == 0x8000 && (kept & 1)))
    ++kept; // May carry into the exponent, up to infinity, as it should.
  return uint16_t(kept);
}

uint16_t canonical(uint16_t bf16) {
  return (bf16 & 0x7fff) > 0x7f80 ? 0x7fc0 : bf16;
}

bool isValid(const Problem &p, int32_t id) {
  return id >= 0 && uint32_t(id) < p.experts;
}

std::vector<uint16_t> referenceRows(const Problem &p,
                                    const std::vector<float> &partial,
                                    const std::vector<int32_t> &ids) {
  std::vector<uint16_t> out(size_t(p.tokens) * p.hidden);
  for (size_t token = 0; token < p.tokens; ++token)
    for (size_t n = 0; n < p.hidden; ++n) {
      float sum = 0;
      for (size_t pair = token * p.topk; pair < (token + 1) * p.topk; ++pair)
        if (isValid(p, ids[pair]))
          sum += partial[pair * p.hidden + n];
      out[token * p.hidden + n] = roundToBf16(sum);
    }
  return out;
}

void launchCombine(Problem p, const DeviceBuffer &partial,
                   const DeviceBuffer &ids, const DeviceBuffer &out,
                   uint32_t gridTokens) {
  void *pointers[] = {partial.pointer(), ids.pointer(), out.pointer()};
  launch("combine",
         {(p.hidden + blockChannels - 1) / blockChannels, gridTokens},
         blockThreads,
         {&pointers[0], &pointers[1], &pointers[2], &p.tokens, &p.topk,
          &p.experts, &p.hidden});
}

/// Runs the kernel on `partial`, after rows of invalid slots became NaN, and
/// compares every element.
void checkCombine(const Problem &p, std::vector<float> partial,
                  const std::vector<int32_t> &ids, uint32_t extraGridTokens) {
  INFO("case: tokens=" << p.tokens << " topk=" << p.topk
                       << " experts=" << p.experts << " hidden=" << p.hidden);
  INFO("again: " << rerunCommand("[combine]"));
  for (size_t pair = 0; pair < ids.size(); ++pair)
    if (!isValid(p, ids[pair]))
      std::fill_n(partial.begin() + pair * p.hidden, p.hidden,
                  std::numeric_limits<float>::quiet_NaN());
  std::vector<uint16_t> expected = referenceRows(p, partial, ids);

  DeviceArray<float> partialMemory(partial);
  DeviceArray<int32_t> idMemory(ids);
  DeviceArray<uint16_t> out(
      std::vector<uint16_t>(size_t(p.tokens) * p.hidden, poison));
  launchCombine(p, partialMemory, idMemory, out, p.tokens + extraGridTokens);

  std::vector<uint16_t> found = out.values();
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    if (canonical(found[i]) != expected[i])
      FAIL("out[" << i / p.hidden << "][" << i % p.hidden << "]: expected 0x"
                  << std::hex << expected[i] << ", found 0x" << found[i]);
}

/// Ids of which about half are invalid; the first token has none that is valid
/// and the last, if another, only valid ones.
std::vector<int32_t> drawIds(const Problem &p, std::mt19937 &random) {
  const int32_t odd[] = {-1, int32_t(p.experts), INT32_MIN, INT32_MAX};
  std::vector<int32_t> ids(size_t(p.tokens) * p.topk);
  for (size_t pair = 0; pair < ids.size(); ++pair) {
    size_t token = pair / p.topk;
    bool valid = token && (token + 1 == p.tokens || random() % 2);
    ids[pair] = valid ? int32_t(random() % p.experts) : odd[random() % 4];
  }
  return ids;
}

} // namespace

TEST_CASE("R03_combine_sums_valid_slots", "[combine]") {
  std::mt19937 random(testSeed());
  std::normal_distribution<float> normal;
  for (uint32_t tokens : {1, 3, 16, 33})
    for (uint32_t hidden : {32, 96, 1024, 1056, 7168})
      for (uint32_t topk : {1, 2, 8, 9, 64}) {
        if (hidden > 2000 && tokens > 3)
          continue;
        Problem p{tokens, topk, 384, hidden};
        std::vector<float> partial(size_t(tokens) * topk * hidden);
        for (float &value : partial)
          value = normal(random);
        checkCombine(p, partial, drawIds(p, random), 0);
      }
}

TEST_CASE("R05_combine_one_expert", "[combine]") {
  std::mt19937 random(testSeed());
  Problem p{5, 8, 1, 96};
  std::vector<float> partial(size_t(p.tokens) * p.topk * p.hidden, 1.0f);
  checkCombine(p, partial, drawIds(p, random), 0);
}

TEST_CASE("R06_combine_grid_larger_than_tokens", "[combine]") {
  std::mt19937 random(testSeed());
  for (uint32_t tokens : {0, 1, 7}) {
    Problem p{tokens, 8, 384, 96};
    std::vector<float> partial(size_t(p.tokens) * p.topk * p.hidden, 2.0f);
    checkCombine(p, partial, drawIds(p, random), 3);
  }
}

TEST_CASE("R10_combine_rounds_once_and_keeps_nan", "[combine]") {
  // One channel a case: what slots 0, 1 and 2 hold. Slot 3 is invalid.
  constexpr float big = std::numeric_limits<float>::max();
  constexpr float inf = std::numeric_limits<float>::infinity();
  const float cases[][3] = {
      {1.0f, 0x1p-8f, 0},         // a tie, to even: 1
      {1.0f, 0x3p-8f, 0},         // a tie, to even: 1 + 2^-6
      {1.0f, 0x1p-8f, 0x1p-23f},  // just above the tie: 1 + 2^-7
      {1.0f, 0x1p-8f, -0x1p-24f}, // the f32 sum ties to even first: 1
      {0x1p25f, 1.0f, -0x1p25f},  // the order of the sum shows: 0
      {0x1p25f, -0x1p25f, 1.0f},  // ... and 1
      {-0.0f, -0.0f, -0.0f},      // from +0: +0
      {big, 0, 0},                // rounds to infinity
      {big, big, -big},           // overflows within
      {inf, -inf, 0},             // NaN
      {asFloat(0x7f800001), 0,
       0}, // signalling NaN, payload lost in the upper half
      {asFloat(0xffffffff), 1, 1}, // NaN that a carry would turn into 0
      {0x1p-149f, 0x1p-149f, 0},   // denormal sums stay
      {0x1p-133f, 0x1p-134f, 0},   // denormal tie: to even
      {-3.0e38f, 1.5f, 2.0e38f},
  };
  Problem p{1, 4, 2, 32};
  std::vector<float> partial(p.topk * p.hidden);
  for (size_t n = 0; n < std::size(cases); ++n)
    for (size_t slot = 0; slot < 3; ++slot)
      partial[slot * p.hidden + n] = cases[n][slot];
  checkCombine(p, partial, {0, 1, 1, 2}, 0);
}

TEST_CASE("R04_combine_beyond_4_GiB", "[combine]") {
  // 20000 tokens of 64 * 1024 f32 are 4.9 GiB, of which only the last token's
  // are touched: a 32-bit offset would read below the start.
  Problem p{20000, 64, 384, 1024};
  size_t tokenFloats = size_t(p.topk) * p.hidden;
  size_t lastToken = p.tokens - 1;
  std::vector<int32_t> ids(size_t(p.tokens) * p.topk, -1);
  std::fill(ids.begin() + lastToken * p.topk, ids.end(), 5);
  std::vector<float> row(tokenFloats, 0.25f);

  DeviceBuffer partial(size_t(p.tokens) * tokenFloats * sizeof(float));
  partial.write(row.data(), tokenFloats * sizeof(float),
                lastToken * tokenFloats * sizeof(float));
  DeviceArray<int32_t> idMemory(ids);
  DeviceArray<uint16_t> out(
      std::vector<uint16_t>(size_t(p.tokens) * p.hidden, poison));
  launchCombine(p, partial, idMemory, out, p.tokens);

  INFO("again: " << rerunCommand("[combine]"));
  std::vector<uint16_t> found = out.values();
  REQUIRE(found.size() == size_t(p.tokens) * p.hidden);
  uint16_t sixteen = roundToBf16(64 * 0.25f);
  for (size_t i = 0; i < found.size(); ++i)
    if (found[i] != (i / p.hidden == lastToken ? sixteen : 0))
      FAIL("out[" << i / p.hidden << "][" << i % p.hidden << "] = 0x"
                  << std::hex << found[i]);
}
