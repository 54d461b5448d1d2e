// The functions, the document, and what several launches add up to.
#include "tests/sim/timing/profiled.h"

#include <cstdio>
#include <set>

TEST_CASE("an empty kernel is launch bound", "[profile]") {
  Module module("time_memory.gfx942");
  Buffer<unsigned> out(64);
  Json k = profiled(module, "nothing", 1, 64, out.get());
  CHECK(k["bound"] == "launch");
  CHECK(double(k["launch_gap_us"]) == 2.0);
  CHECK(double(k["predicted_us"]) == Approx(2.0 + kernelUs(k)));
}

TEST_CASE("twice the launches take twice the time", "[profile]") {
  Module module("time_issue.gfx942");
  Buffer<float> out(512);
  auto launches = [&](int count) {
    return double(profileOf([&] {
      for (int i = 0; i < count; ++i)
        HIP_OK(module.run("matrix", 304, 512, 40u, out.get()));
    })["predicted_us"]);
  };
  double one = launches(1);
  CHECK(launches(2) == Approx(2 * one).epsilon(0.02));
}

TEST_CASE("predictions repeat", "[profile]") {
  Module module("time_memory.gfx942");
  Buffer<unsigned> in(1000 * 1024), out(1000 * 1024);
  auto take = [&] { return profiled(module, "copy16", 1000, 256, in.get(), out.get()); };
  Json first = take();
  CHECK(first == take());
}

TEST_CASE("no prediction exceeds a peak", "[profile]") {
  Module memory("time_memory.gfx942"), issue("time_issue.gfx942");
  Buffer<unsigned> in(2048 * 1024), out(2048 * 1024);
  Json document = profileOf([&] {
    for (unsigned groups : {1u, 7u, 300u, 305u, 1000u, 2048u}) {
      HIP_OK(memory.run("copy16", groups, 256, in.get(), out.get()));
      HIP_OK(memory.run("copy4", groups, 256, in.get(), out.get()));
      HIP_OK(issue.run("matrix", groups, 512, 8u, reinterpret_cast<float *>(out.get())));
    }
  });
  for (const Json &k : document["kernels"]) {
    INFO(k["kernel"] << " " << k["grid"]);
    CHECK(double(k["hbm_tb_s"]) <= 4.3001);
    CHECK(double(k["matrix_tflops"]) <= 1307.5);
    for (const auto &[name, share] : k["shares"].items()) {
      INFO(name);
      CHECK(double(share) >= 0);
      CHECK(double(share) <= 1.0001);
    }
  }
}

TEST_CASE("the document says where every constant comes from", "[profile]") {
  Module module("time_memory.gfx942");
  Buffer<unsigned> out(64);
  Json document = profileOf([&] { HIP_OK(module.run("nothing", 1, 64, out.get())); });
  CHECK(document["model"] == "hipsim timing model 1");
  CHECK(document["rates"].size() > 30);
  const std::set<std::string> kinds = {"datasheet", "measured", "toolchain", "assumed"};
  for (const Json &rate : document["rates"]) {
    INFO(rate["name"]);
    CHECK(kinds.count(rate["kind"]));
    CHECK((rate["kind"] == "assumed" || !std::string(rate["source"]).empty()));
  }
}

TEST_CASE("the hash is that of the file", "[profile]") {
  Module module("time_memory.gfx942");
  Buffer<unsigned> out(64);
  Json k = profiled(module, "nothing", 1, 64, out.get());
  FILE *pipe = popen("sha256sum " HIPSIM_TEST_KERNELS "/time_memory.gfx942.hsaco", "r");
  REQUIRE(pipe);
  char digits[65] = {};
  CHECK(fread(digits, 1, 64, pipe) == 64);
  pclose(pipe);
  CHECK(k["code_object_sha256"] == std::string(digits));
}

TEST_CASE("a timeline of two turns of the hot loop", "[profile]") {
  Module module("time_issue.gfx942");
  Buffer<float> out(512);
  Json k = profiled(module, "matrix", 1, 512, 20u, out.get());
  // One SIMD has 2 waves of a turn of 19 instructions; two turns of both.
  CHECK(k["hot_loop"]["instructions"] == 19);
  CHECK(k["hot_loop"]["by_unit"]["matrix"] == 16);
  CHECK(k["timeline"].size() >= 4 * 17);
  CHECK(k["timeline"].size() <= 4 * 21);
  for (const Json &issue : k["timeline"])
    CHECK(uint64_t(issue["end"]) > uint64_t(issue["start"]));
}

TEST_CASE("misuse of the profile functions", "[profile]") {
  const char *text = nullptr;
  CHECK(hipsimProfileEnd(&text) == hipErrorInvalidValue);
  hipsim_profile_options options = {};
  CHECK(hipsimProfileBegin(&options) == hipErrorInvalidValue); // No size.
  REQUIRE(hipsimProfileBegin(nullptr) == hipSuccess);
  CHECK(hipsimProfileBegin(nullptr) == hipErrorInvalidValue); // One at a time.
  CHECK(hipsimProfileEnd(nullptr) == hipErrorInvalidValue);
  REQUIRE(hipsimProfileEnd(&text) == hipSuccess);
  CHECK(Json::parse(text)["launches"] == 0);
}
