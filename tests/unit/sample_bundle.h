// A small bundle that exercises every field, for the tests of this folder.
#pragma once

#include "runtime/bundle/bundle.h"

namespace moec::testing {

inline Bundle sampleBundle() {
  Bundle bundle;
  bundle.producer = "moec test 0.1 (abc)";
  bundle.target = "gfx942";
  for (const char *text : {"code object one", "code object two"})
    bundle.code.push_back({contentHash(text), text});
  for (uint32_t i = 0; i < 2; ++i) {
    Kernel k;
    k.name = "kernel" + std::to_string(i);
    k.stage = i ? "down" : "gate_up";
    k.symbol = "symbol" + std::to_string(i);
    k.problem = R"({"hidden":64})";
    k.target = "gfx942";
    k.schedule = "#tile.schedule<m = 16>";
    k.buckets = {1, 16};
    k.args = {{"x", 0, 8}, {"w", 8, 8}, {"ws", 16, 8}, {"n", 24, 4}, {"m", 28, 4}};
    k.kernargBytes = 32;
    k.block[0] = 256;
    k.vgpr = 128;
    k.ldsBytes = 16384;
    k.wavesPerSimd = 2;
    k.code = i;
    bundle.kernels.push_back(k);
  }
  Plan plan;
  plan.layer = "int4_silu";
  plan.problem = R"({"hidden":64})";
  plan.target = "gfx942";
  plan.bucket = 16;
  plan.passTokens = 16;
  plan.workspaceBytes = 4096;
  Tensor x{"x", "input", "bf16", {64}, "", "", 1, 0, "", 0, 0};
  Tensor w{"w13", "weights", "int4", {2, 64, 64}, "gate_up", "i4r3.v1",
           2,     32,        "bf16", 4096, 512};
  plan.tensors = {x, w};
  for (uint32_t i = 0; i < 2; ++i) {
    Launch launch;
    launch.kernel = i;
    launch.grid[0] = 7;
    launch.args = {{Binding::Kind::Tensor, "x", 0, 128, 0},
                   {Binding::Kind::Tensor, i ? "w13.scale" : "w13", 0, 0, 0},
                   {Binding::Kind::Workspace, "", 1024, 0, 0},
                   {Binding::Kind::Int32, "", 0, 0, -5},
                   {Binding::Kind::Tokens, "", 0, 0, 0}};
    plan.launches.push_back(launch);
  }
  bundle.plans.push_back(plan);
  bundle.texts.push_back({"layer", "int4_silu", "moe.layer @int4_silu\n"});
  return bundle;
}

inline Expected<Bundle> readString(const std::string &bytes) {
  return readBundle(
      {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}, "b.moec");
}

} // namespace moec::testing
