// The reference interpreter against numbers derived by hand.
//
// Weights of a test are w[n, k] = q(k) * scale(expert, projection, group): q is
// a function, the same for every channel, so that every output column is equal
// and the expected value is a short sum.

#include "compiler/reference/reference.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

using namespace moec;

namespace {

uint16_t bf16(float value) { // Exact values only.
  uint32_t bits = std::bit_cast<uint32_t>(value);
  REQUIRE((std::isnan(value) || (bits & 0xffff) == 0));
  return uint16_t(bits >> 16);
}

/// A layer of one stage over `rows` (token or pair) with `body`.
std::string layerText(const std::string &rows, const std::string &result,
                      int projections, const std::string &body) {
  std::string channels = projections == 1 ? "I" : "2*I";
  std::string w =
      "!moe.experts<E x " + channels + " x H, #moe.quant<i4, scale = bf16>>";
  std::string x = "!moe.rows<" + rows + " x H x bf16>";
  std::string r = "!moe.routing<K of E>";
  return "moe.stage @s(%x: " + x + ", %w: " + w + ", %r: " + r + ") -> " +
         result + " {\n" + body + "}\n" + "moe.layer @l(%x: " + x +
         " {moe.tensor = \"x\"},\n" +
         " %c: !moe.topk<K of E> {moe.tensor = \"topk\"},\n %w: " + w +
         " {moe.tensor = \"w13\"}) -> " + result + " {\n" +
         "  %r = moe.route %c : !moe.topk<K of E> -> " + r + "\n" +
         "  %y = moe.apply @s(%x, %w) by %r : " + x + ", " + w + ", " + r +
         " -> " + result + "\n  moe.return %y : " + result + "\n}\n";
}

std::string contract(const std::string &rows, int projections) {
  std::string channels = projections == 1 ? "I" : "2*I";
  return std::string("  ") + (projections == 1 ? "%z" : "%gate, %up") +
         " = moe.contract %x, %w by %r : !moe.rows<" + rows +
         " x H x bf16>, !moe.experts<E x " + channels +
         " x H, #moe.quant<i4, scale = bf16>>, !moe.routing<K of E> -> f32" +
         (projections == 1 ? "" : ", f32") + "\n";
}

struct Case {
  std::string module;
  int64_t tokens = 1, hidden = 32, inter = 32, experts = 2, topk = 1,
          group = 32;
  std::vector<float> x; ///< Row-major.
  std::vector<int32_t> ids;
  std::vector<float> routerWeights;
  /// Weights: q in -8..7 by k, and the scale.
  std::function<int(int64_t)> q = [](int64_t) { return 1; };
  std::function<float(int64_t expert, int64_t projection, int64_t group)>
      scale = [](int64_t, int64_t, int64_t) { return 1.f; };
  int projections = 1;
  int fetchCode = 0; ///< What the weights callback returns.

  ErrorCode status = ErrorCode::Ok;
  DiagnosticList diagnostics;

  std::vector<float> run(size_t resultRows) {
    std::string problem =
        "{\"hidden\":" + std::to_string(hidden) +
        ",\"inter\":" + std::to_string(inter) +
        ",\"experts\":" + std::to_string(experts) +
        ",\"topk\":" + std::to_string(topk) +
        ",\"weights\":\"int4\",\"group\":" + std::to_string(group) + "}";
    std::vector<uint16_t> xBits;
    for (float value : x)
      xBits.push_back(bf16(value));
    if (routerWeights.empty())
      routerWeights.assign(ids.size(), 1);
    moec_reference_tensor tensors[] = {
        {"x", xBits.data(), xBits.size() * 2},
        {"topk_ids", ids.data(), ids.size() * 4},
        {"topk_weights", routerWeights.data(), routerWeights.size() * 4}};
    std::vector<float> result(resultRows * size_t(inter), -1);
    ReferenceCall call{module, problem, tokens, tensors, fetch, this, result};
    diagnostics.clear();
    status = runReference(call, diagnostics);
    return result;
  }

  static int fetch(void *context, const char *tensor, int64_t expert,
                   void *values, size_t valuesSize, void *scales,
                   size_t scalesSize) {
    auto &self = *static_cast<Case *>(context);
    int64_t channels = self.inter * self.projections;
    int64_t groups = (self.hidden + self.group - 1) / self.group;
    if (self.fetchCode || std::strcmp(tensor, "w13") ||
        valuesSize != size_t(channels * self.hidden / 2) ||
        scalesSize != size_t(channels * groups * 2))
      return self.fetchCode ? self.fetchCode : 70;
    auto *words = static_cast<uint32_t *>(values);
    auto *scaleBits = static_cast<uint16_t *>(scales);
    std::memset(values, 0, valuesSize);
    for (int64_t n = 0; n < channels; ++n) {
      for (int64_t k = 0; k < self.hidden; ++k)
        words[n * (self.hidden / 8) + k / 8] |= uint32_t(self.q(k) + 8)
                                                << (4 * (k % 8));
      for (int64_t g = 0; g < groups; ++g) {
        float scale = self.scale(expert, n / self.inter, g);
        scaleBits[n * groups + g] =
            uint16_t(std::bit_cast<uint32_t>(scale) >> 16);
      }
    }
    return 0;
  }

  std::string message() const {
    return diagnostics.empty() ? "" : diagnostics.front().message;
  }
};

const std::string pairBf16 = "!moe.rows<pair x I x bf16>";
const std::string pairF32 = "!moe.rows<pair x I x f32>";
const std::string tokenBf16 = "!moe.rows<token x I x bf16>";
const std::string yieldZ = "  moe.yield %z : f32\n";

} // namespace

TEST_CASE("Stage_GateUp_SelectsExpertsAndDropsInvalidIds") {
  Case test;
  test.module =
      layerText("token", pairBf16, 2,
                contract("token", 2) + "  %a = moe.silu %gate : f32\n"
                                       "  %y = arith.mulf %a, %up : f32\n"
                                       "  moe.yield %y : f32\n");
  test.projections = 2;
  test.tokens = 2;
  test.topk = 2;
  // Token 0 chooses experts 0 and 1, token 1 none: -1 and 2 are no experts.
  test.ids = {0, 1, -1, 2};
  test.x.assign(32, 1);
  test.x.insert(test.x.end(), 32, std::numeric_limits<float>::quiet_NaN());
  // Expert 0: gate 32 * 0.5 = 16, up 32 * -0.5 = -16. Expert 1: twice that.
  test.scale = [](int64_t e, int64_t p, int64_t) {
    return (e ? 1.f : 0.5f) * (p ? -1.f : 1.f);
  };
  std::vector<float> result = test.run(4);
  INFO(test.message());
  REQUIRE(test.status == ErrorCode::Ok);
  // silu(16) * -16 = -16 * 16 / (1 + e^-16) = -255.99997, and bf16 has steps
  // of 1 below 256: -256. silu(32) * -32 = -1024 to 11 digits.
  CHECK(result[0] == -256);
  CHECK(result[31] == -256);
  CHECK(result[32] == -1024);
  for (size_t i = 64; i < 128; ++i)
    REQUIRE(result[i] == 0); // Never evaluated: x of token 1 is NaN.
}

TEST_CASE("Rounding_ToBf16_NearestEvenAndNanKept") { // R10
  Case test;
  test.module = layerText("token", pairBf16, 1, contract("token", 1) + yieldZ);
  test.tokens = 3;
  test.ids = {0, 0, 0};
  test.x.assign(3 * 32, 0);
  // bf16 has 8 bits of significand: steps of 2 from 256 on. 257 lies between
  // 256 = 128 * 2 and 258 = 129 * 2: to the even 128. 259 lies between 129 * 2
  // and 130 * 2: to 260.
  test.x[0] = 256, test.x[1] = 1;
  test.x[32] = 256, test.x[33] = 3;
  test.x[64] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> result = test.run(3);
  REQUIRE(test.status == ErrorCode::Ok);
  CHECK(result[0] == 256);
  CHECK(result[32] == 260);
  CHECK(std::isnan(result[64]));
}

TEST_CASE("Combine_OfAToken_SumsFirstAndRoundsOnce") {
  Case test;
  test.module =
      layerText("pair", tokenBf16, 1,
                contract("pair", 1) +
                    "  %p = moe.router_weight %r : !moe.routing<K of E>\n"
                    "  %y = arith.mulf %z, %p : f32\n"
                    "  moe.yield %y : f32\n");
  test.tokens = 2;
  test.topk = 2;
  test.ids = {0, 0, -1,
              7}; // The same expert twice is two pairs; R05: none is zero.
  test.routerWeights = {1, 2, 1, 1};
  test.x.assign(4 * 32, 0);
  test.x[0] = 256, test.x[1] = 1; // Pair 0: 257.
  test.x[32] = 129;               // Pair 1: 129, twice by its weight.
  test.x[64] = 5, test.x[96] = 5;
  std::vector<float> result = test.run(2);
  REQUIRE(test.status == ErrorCode::Ok);
  // 257 + 258 = 515; steps of 4 from 512 on: 516. Rounding each pair first
  // would give 256 + 258 = 514, a tie, and 512.
  CHECK(result[0] == 516);
  CHECK(result[32] == 0);
}

TEST_CASE("Weights_NibblesAndGroups_AreReadAsStored") {
  Case test;
  test.module = layerText("token", pairBf16, 1, contract("token", 1) + yieldZ);
  test.hidden = 96;
  test.group = 64;
  test.tokens = 3;
  test.ids = {0, 0, 0};
  test.q = [](int64_t k) { return int(k % 16) - 8; };
  // Two groups: k 0..63, and a short one, 64..95.
  test.scale = [](int64_t, int64_t, int64_t g) { return g ? 4.f : 2.f; };
  test.x.assign(3 * 96, 0);
  test.x[9] = 1;           // q(9) = 1, scale 2.
  test.x[96 + 63] = 1;     // q(63) = q(15) = 7, scale 2.
  test.x[2 * 96 + 64] = 1; // q(64) = q(0) = -8, scale 4.
  std::vector<float> result = test.run(3);
  REQUIRE(test.status == ErrorCode::Ok);
  CHECK(result[0] == 2);
  CHECK(result[32] == 14);
  CHECK(result[64] == -32);
}

TEST_CASE("Scalars_OfEveryKind_AreEvaluated") {
  struct Row {
    const char *body; ///< From %z = 1 to %y.
    double expected;
  };
  const Row rows[] = {
      {"%y = moe.silu %z : f32", 0.73105858},      // 1 / (1 + 1/e)
      {"%y = moe.gelu erf %z : f32", 0.84134475},  // Phi(1)
      {"%y = moe.gelu tanh %z : f32", 0.84119199}, // (1 + tanh(0.83336...)) / 2
      {"%y = math.tanh %z : f32", 0.76159416},
      {"%c = arith.constant 0.25 : f32\n %y = arith.minimumf %z, %c : f32",
       0.25},
      {"%c = arith.constant 3.0 : f32\n %b = arith.cmpf olt, %z, %c : f32\n"
       "%n = arith.negf %z : f32\n %y = arith.select %b, %n, %c : f32",
       -1},
      {"%c = arith.constant 3.0 : f32\n %y = math.fma %z, %c, %c : f32", 6},
  };
  for (const Row &row : rows) {
    Case test;
    test.module =
        layerText("token", pairF32, 1,
                  contract("token", 1) + row.body + "\n moe.yield %y : f32\n");
    test.ids = {0};
    test.x.assign(32, 0);
    test.x[0] = 1;
    std::vector<float> result = test.run(1);
    INFO(row.body << ": " << test.message());
    REQUIRE(test.status == ErrorCode::Ok);
    CHECK(result[0] == Approx(row.expected).epsilon(1e-7));
  }
}

TEST_CASE("Tokens_None_IsAnEmptyResult") {
  Case test;
  test.module = layerText("token", pairBf16, 1, contract("token", 1) + yieldZ);
  test.tokens = 0;
  test.run(0);
  CHECK(test.status == ErrorCode::Ok);
}

TEST_CASE("Errors_OfTheCaller_SayWhatIsWrong") {
  Case good;
  good.module = layerText("token", pairBf16, 1, contract("token", 1) + yieldZ);
  good.ids = {0};
  good.x.assign(32, 1);

  Case test = good;
  test.x.assign(31, 1);
  test.run(1);
  CHECK(test.status == ErrorCode::Usage);
  // One token of 32 bf16: 64 bytes.
  CHECK(test.message() == "reference: tensor 'x' has 62 bytes; for 1 tokens it "
                          "must have 64");
  test = good;
  test.run(2); // Room for two rows of 32 floats; the result is one.
  CHECK(test.status == ErrorCode::Usage);
  CHECK(test.message() ==
        "reference: the result has 128 bytes, room was given for 256");
  test = good;
  test.fetchCode = 3;
  test.run(1);
  CHECK(test.status == ErrorCode::File);
  CHECK(test.message() == "reference: no weights of 'w13', expert 0");
  test = good;
  test.module = "module {}";
  test.run(1);
  CHECK(test.status == ErrorCode::Content);
  CHECK(test.message() ==
        "reference: expected one moe.layer in the module, found 0");
  test = good;
  test.module = "moe.layer @l(";
  test.run(1);
  CHECK(test.status == ErrorCode::Content);
  CHECK(test.diagnostics.front().file == "reference module");
  CHECK(test.diagnostics.front().line == 1);
}
