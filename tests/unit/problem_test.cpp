// Problems: parsing, the canonical spelling, every reason.
#include "runtime/base/problem.h"

#include <catch2/catch.hpp>

using namespace moec;

static Problem good() {
  Problem p;
  p.hidden = 7168;
  p.inter = 256;
  p.experts = 384;
  p.topk = 8;
  p.weights = "int4";
  p.group = 32;
  return p;
}

TEST_CASE("problem: canonical JSON has sorted keys and defaults") {
  CHECK(good().canonical() ==
        R"({"act_dtype":"bf16","act_fn":"silu","experts":384,"group":32,)"
        R"("hidden":7168,"inter":256,"scale":"bf16","topk":8,"weights":"int4"})");
  Problem p = good();
  p.alpha = 1.5;
  p.bias = true;
  Expected<Problem> again = parseProblem(p.canonical());
  REQUIRE(again);
  CHECK(*again == p);
  Expected<Problem> loose = parseProblem(
      R"({"hidden": 7168, "inter": 256, "experts": 384, "topk": 8,
          "weights": "int4", "group": 32, "target": "gfx942"})");
  REQUIRE(loose);
  CHECK(*loose == good());
}

TEST_CASE("problem: malformed JSON is named") {
  auto message = [](const char *text) {
    return parseProblem(text).status().message();
  };
  CHECK(message("{") == "problem: not JSON");
  CHECK(message("[]") == "problem: must be a JSON object");
  CHECK(message("{}") == "problem: 'hidden' is missing");
  CHECK(message(R"({"hidden":"x"})") ==
        "problem: 'hidden' must be an integer, found \"x\"");
  CHECK(message(R"({"hidden":1.5})") ==
        "problem: 'hidden' must be an integer, found 1.5");
  CHECK(message(R"({"hidden":64,"inter":32,"hidden":64})") ==
        "problem: the key 'hidden' appears twice");
  CHECK(message(R"({"hiden":1})") ==
        "problem: unknown key 'hiden'; known are hidden, inter, experts, topk, "
        "group, weights, scale, act_dtype, act_fn, alpha, beta, limit, bias");
}

TEST_CASE("R40 problem: all reasons are given at once") {
  CHECK(checkProblem(good()).empty());
  Problem p = good();
  p.hidden = 72;
  p.experts = 2000;
  p.topk = 65;
  p.weights = "int5";
  p.scale = "f16";
  p.limit = 7;
  std::vector<std::string> ids;
  for (const Reason &reason : checkProblem(p))
    ids.push_back(reason.id);
  CHECK(ids == std::vector<std::string>{"experts-range", "topk-range",
                                        "hidden-multiple", "weights-unknown",
                                        "scale-unsupported",
                                        "limit-unsupported"});
  Status status = requireProblem(p);
  CHECK(status.code() == ErrorCode::Usage);
  CHECK(status.message().find("hidden is 72; it must be a multiple of 32") !=
        std::string::npos);

  Problem q = good();
  q.scale = "f16";
  status = requireProblem(q);
  CHECK(status.code() == ErrorCode::Unsupported);
  CHECK(status.message() ==
        "problem: scale is 'f16'; this release computes bf16");
  q = good();
  q.group = 48;
  CHECK(requireProblem(q).message() ==
        "problem: group is 48; int4 weights have group scales of 32, 64, 128, 256 "
        "k");
}

TEST_CASE("R08 a parameter that no kernel honours is refused") {
  for (auto member : {&Problem::alpha, &Problem::beta, &Problem::limit}) {
    Problem p = good();
    p.*member = 1.0;
    CHECK(requireProblem(p).code() == ErrorCode::Unsupported);
  }
  Problem p = good();
  p.bias = true;
  CHECK(requireProblem(p).code() == ErrorCode::Unsupported);
}
