// Builds the sample bundles.
#include "tests/capi/sample_plans.h"

#include <algorithm>

namespace moec::testing {

const char *const sampleProblem =
    R"({"act_dtype":"bf16","act_fn":"silu","experts":3,"group":32,"hidden":160,)"
    R"("inter":96,"scale":"bf16","topk":2,"weights":"int4"})";

static Tensor weights(const char *name, const char *stage, int64_t n, int64_t k,
                      int64_t projections) {
  uint64_t experts = 3, group = 32;
  return {name, "weights", "int4", {3, n, k}, stage, "i4r3.v1", projections, 32,
          "bf16", experts * uint64_t(n * k) / 2,
          experts * uint64_t(n) * ((uint64_t(k) + group - 1) / group) * 2};
}

static Kernel kernel(const char *stage, const std::string &target, uint32_t code,
                     const std::vector<int64_t> &buckets) {
  Kernel k;
  k.name = std::string(stage) + "_kernel";
  k.stage = stage;
  k.symbol = stage;
  k.problem = sampleProblem;
  k.target = target;
  k.buckets = buckets;
  k.args = {{"in", 0, 8},  {"w", 8, 8},    {"s", 16, 8},
            {"out", 24, 8}, {"tokens", 32, 4}, {"n", 36, 4}};
  k.kernargBytes = 64; // Room for hidden arguments, which stay zero.
  k.block[0] = 256;
  k.code = code;
  return k;
}

Bundle samplePlans(const std::vector<int64_t> &buckets, const std::string &target,
                   const std::string &layer) {
  using K = Binding::Kind;
  Bundle bundle;
  bundle.producer = "sample";
  bundle.target = target;
  for (const char *bytes : {"code of gate_up and down", "code of combine"})
    bundle.code.push_back({contentHash(bytes), bytes});
  bundle.kernels = {kernel("gate_up", target, 0, buckets),
                    kernel("down", target, 0, buckets),
                    kernel("combine", target, 1, buckets)};
  for (int64_t bucket : buckets) {
    Plan plan;
    plan.layer = layer;
    plan.problem = sampleProblem;
    plan.target = target;
    plan.bucket = bucket;
    plan.passTokens = std::min<int64_t>(bucket, 16);
    plan.workspaceBytes = uint64_t(bucket) * 1024;
    plan.tensors = {{"x", "input", "bf16", {160}, "", "", 1, 0, "", 0, 0},
                    {"topk_ids", "input", "i32", {2}, "", "", 1, 0, "", 0, 0},
                    {"topk_weights", "input", "f32", {2}, "", "", 1, 0, "", 0, 0},
                    {"out", "output", "bf16", {160}, "", "", 1, 0, "", 0, 0},
                    weights("w13", "gate_up", 192, 160, 2),
                    weights("w2", "down", 160, 96, 1)};
    uint32_t rows = uint32_t(bucket);
    plan.launches = {
        {0, {3, rows, 1},
         {{K::Tensor, "x", 0, 320, 0}, {K::Tensor, "w13", 0, 0, 0},
          {K::Tensor, "w13.scale", 0, 0, 0}, {K::Workspace, "", 0, 0, 0},
          {K::Tokens, "", 0, 0, 0}, {K::Int32, "", 0, 0, 192}}},
        {1, {5, rows, 1},
         {{K::Workspace, "", 0, 0, 0}, {K::Tensor, "w2", 0, 0, 0},
          {K::Tensor, "w2.scale", 0, 0, 0}, {K::Workspace, "", 512, 0, 0},
          {K::Tokens, "", 0, 0, 0}, {K::Int32, "", 0, 0, -1}}},
        {2, {rows, 1, 1},
         {{K::Workspace, "", 512, 0, 0}, {K::Tensor, "topk_ids", 0, 8, 0},
          {K::Tensor, "topk_weights", 0, 8, 0}, {K::Tensor, "out", 0, 320, 0},
          {K::Tokens, "", 0, 0, 0}, {K::Int32, "", 0, 0, 7}}}};
    bundle.plans.push_back(plan);
  }
  bundle.texts.push_back({"layer", layer, "moe.layer @" + layer + "\n"});
  return bundle;
}

} // namespace moec::testing
