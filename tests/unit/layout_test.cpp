// Layouts: i4r3.v1 against its definition element by element, round trips,
// tails, and packing in place.
#include "runtime/layer/layout.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <random>
#include <vector>

using namespace moec;

namespace {

struct Expert {
  WeightShape shape;
  std::vector<uint32_t> values;
  std::vector<uint16_t> scales;
};

Expert randomExpert(WeightShape shape, unsigned seed) {
  std::mt19937 random(seed);
  Expert expert{shape, {}, {}};
  expert.values.resize(size_t(shape.n * shape.k / 8));
  expert.scales.resize(size_t(shape.n * ((shape.k + shape.group - 1) / shape.group)));
  for (uint32_t &word : expert.values)
    word = random();
  for (uint16_t &scale : expert.scales)
    scale = uint16_t(random());
  return expert;
}

/// q + 8 of (n, k) in ct_pack: nibble k%8 of word k/8 of the row.
unsigned sourceNibble(const Expert &e, int64_t n, int64_t k) {
  return (e.values[size_t(n * e.shape.k / 8 + k / 8)] >> (4 * (k % 8))) & 15;
}

/// q + 8 of (n, k) in i4r3.v1, straight from the words of the layout.
unsigned packedNibble(const std::vector<uint32_t> &bytes, WeightShape s, int64_t n,
                      int64_t k) {
  int64_t full = s.k / 128, kb = k / 128;
  int64_t steps = kb < full ? 4 : s.k % 128 / 32; // dwords a lane
  int64_t d = k % 128 / 32, g4 = k % 32 / 8, e = k % 8;
  int64_t lane = g4 * 16 + n % 16;
  int64_t byte = n / 16 * 8 * s.k + kb * 1024 + lane * steps * 4 + d * 4;
  uint32_t word = bytes[size_t(byte / 4)];
  word = (word >> 3) | (word << 29);
  return (word >> (4 * (e / 2) + 16 * (e % 2))) & 15;
}

uint16_t packedScale(const std::vector<uint16_t> &bytes, WeightShape s, int64_t n,
                     int64_t group) {
  int64_t groups = (s.k + s.group - 1) / s.group, per = 256 / s.group;
  int64_t kb = group / per, here = std::min(per, groups - kb * per);
  int64_t byte = n / 16 * 32 * groups + kb * 32 * per +
                 (n % 16 * here + group % per) * 2;
  return bytes[size_t(byte / 2)];
}

const std::vector<WeightShape> shapes = {
    {96, 160, 32}, {32, 192, 128}, {64, 96, 32},   {32, 32, 32},
    {96, 192, 64}, {32, 64, 32},   {64, 7168, 32}, {512, 256, 128},
    {32, 416, 64}, {32, 512, 256}, {96, 320, 256}};

} // namespace

TEST_CASE("R01 i4r3.v1 holds every element where its definition says") {
  const Conversion *pack = findConversion("ct_pack", "i4r3.v1");
  REQUIRE(pack);
  for (WeightShape shape : shapes) {
    INFO("n " << shape.n << " k " << shape.k << " group " << shape.group);
    Expert source = randomExpert(shape, 1);
    Expert packed = source;
    convertExpert(*pack, WeightPart::Values, shape, packed.values.data(),
                  packed.values.data());
    convertExpert(*pack, WeightPart::Scales, shape, packed.scales.data(),
                  packed.scales.data());
    int64_t wrong = 0, groups = (shape.k + shape.group - 1) / shape.group;
    for (int64_t n = 0; n < shape.n; ++n) {
      for (int64_t k = 0; k < shape.k; ++k)
        wrong += sourceNibble(source, n, k) !=
                 packedNibble(packed.values, shape, n, k);
      for (int64_t g = 0; g < groups; ++g)
        wrong += source.scales[size_t(n * groups + g)] !=
                 packedScale(packed.scales, shape, n, g);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("unpack(pack(x)) == x bit for bit") {
  const Conversion *pack = findConversion("ct_pack", "i4r3.v1");
  const Conversion *unpack = findConversion("i4r3.v1", "ct_pack");
  REQUIRE(unpack);
  for (WeightShape shape : shapes) {
    Expert source = randomExpert(shape, 2), turned = source;
    for (const Conversion *step : {pack, unpack}) {
      convertExpert(*step, WeightPart::Values, shape, turned.values.data(),
                    turned.values.data());
      convertExpert(*step, WeightPart::Scales, shape, turned.scales.data(),
                    turned.scales.data());
    }
    CHECK(turned.values == source.values);
    CHECK(turned.scales == source.scales);
  }
}

TEST_CASE("a conversion by several threads equals one block at a time") {
  // 4096 x 7168 nibbles are 14 MiB: large enough for threads.
  WeightShape shape{4096, 7168, 32};
  const Conversion *pack = findConversion("ct_pack", "i4r3.v1");
  Expert source = randomExpert(shape, 3);
  std::vector<uint32_t> all = source.values, blocks(all.size());
  convertExpert(*pack, WeightPart::Values, shape, all.data(), all.data());
  WeightShape block{16, shape.k, shape.group};
  for (int64_t b = 0; b < shape.n / 16; ++b)
    pack->values(source.values.data() + b * 2 * shape.k,
                 blocks.data() + b * 2 * shape.k, block);
  CHECK(all == blocks);
}

TEST_CASE("layouts say which shapes they cannot hold") {
  const Layout *layout = findLayout("i4r3.v1");
  REQUIRE(layout);
  CHECK(layout->check({32, 64, 32}) == "");
  CHECK(layout->check({48, 64, 32}) == "n is 48, it must be a multiple of 32");
  CHECK(layout->check({32, 72, 32}) == "k is 72, it must be a multiple of 32");
  CHECK(layout->check({32, 64, 48}) ==
        "the group is 48, it must be 32, 64, 128 or 256");
  CHECK(findLayout("aiter_i4") == nullptr);
  CHECK(layoutNames() == "ct_pack, i4r3.v1");
  // K = 192 with g = 128: two groups, the second is short.
  CHECK(layout->scaleBytes({32, 192, 128}) == 32 * 2 * 2);
}
