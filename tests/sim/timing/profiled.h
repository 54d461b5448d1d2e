// A launch under the timing model, for tests: runs it and gives the JSON of its
// kernel.
#pragma once

#include "runtime/hipsim/hip/hipsim.h"
#include "tests/sim/exec/device.h"

#include <nlohmann/json.hpp>

#include <functional>

using Json = nlohmann::json;

/// The document of what `launches` launches.
inline Json profileOf(const std::function<void()> &launches,
                      hipsim_profile_options options = {}) {
  options.struct_size = sizeof(options);
  REQUIRE(hipsimProfileBegin(&options) == hipSuccess);
  launches();
  const char *text = nullptr;
  int error = hipsimProfileEnd(&text);
  INFO(hipsimLastReport());
  REQUIRE(error == hipSuccess);
  return Json::parse(text);
}

/// The only kernel of one launch.
template <class... A>
Json profiled(Module &module, const char *kernel, unsigned grid, unsigned block,
              A... arguments) {
  Json document = profileOf([&] { HIP_OK(module.run(kernel, grid, block, arguments...)); });
  REQUIRE(document["kernels"].size() == 1);
  return document["kernels"][0];
}

inline double kernelUs(const Json &kernel) { return kernel["kernel_us"]; }
inline double turnClk(const Json &kernel) { return kernel["hot_loop"]["clk_per_turn"]; }
