// The checks on kernels with one mistake each (tests/sim/kernels/chk_hazards.c),
// and their silence on the same kernels without it.
#include "tests/sim/exec/device.h"

using Catch::Matchers::Contains;

namespace {

struct Pair {
  const char *kernel;
  unsigned block;
  std::vector<std::string> words; ///< Of the report; empty: no report.
};

/// Every kernel takes (in, out) or (out): both point to buffers of 1 KiB.
hipError_t runPair(Module &module, const Pair &p, bool outputOnly) {
  Buffer<uint32_t> input(std::vector<uint32_t>(512, 5)), output(512);
  return outputOnly ? module.run(p.kernel, 2, p.block, output.get())
                    : module.run(p.kernel, 2, p.block, input.get(), output.get());
}

void check(const std::vector<Pair> &pairs, bool outputOnly = false) {
  HIP_OK(hipsimSetOption("checks", "waits,races"));
  for (const char *level : {"O1", "O3"})
    for (const Pair &p : pairs) {
      INFO(p.kernel << " at " << level);
      Module module(std::string("chk_hazards.") + level);
      hipError_t error = runPair(module, p, outputOnly);
      INFO(hipsimLastReport());
      CHECK(error == (p.words.empty() ? hipSuccess : hipErrorLaunchFailure));
      if (error != hipSuccess) {
        for (const std::string &word : p.words)
          CHECK_THAT(hipsimLastReport(), Contains(word));
        CHECK_THAT(hipsimLastReport(), Contains(std::string("kernel      ") + p.kernel));
        HIP_OK(hipDeviceReset());
      }
    }
  HIP_OK(hipsimSetOption("checks", "none"));
}

} // namespace

TEST_CASE("a register is used before its load has been waited for", "[checks]") {
  check({
      {"vector_unwaited", 64,
       {"is read before", "loaded by   global_load_dword", "s_waitcnt vmcnt(0)",
        "instruction v_add_u32_e32", "lane 0", "workgroup", "wave        0"}},
      {"vector_waited", 64, {}},
      {"vector_wrong_counter", 64, {"s_waitcnt vmcnt(0)"}},
      {"first_of_two", 64, {}},
      {"second_of_two", 64, {"is read before", "offset:4", "s_waitcnt vmcnt(0)"}},
      {"overwritten", 64, {"is overwritten before"}},
      {"other_lanes", 64, {}},
      {"scalar_partial", 64, {"s10 is read before", "s_load_dword", "lgkmcnt(0)"}},
      {"scalar_waited", 64, {}},
      {"lds_partial", 64, {}},
      // Two LDS reads and a scalar load: at most one of the three is pending
      // after lgkmcnt(1), so the first read, older than another one, is not.
      {"lds_behind_scalar", 64, {}},
      {"lds_unwaited", 64, {"ds_read_b32", "s_waitcnt lgkmcnt(1)"}},
  });
}

TEST_CASE("LDS is read before a load to LDS has been waited for", "[checks]") {
  check({
      {"to_lds_unwaited", 64, {"LDS is read before", "global_load_lds_dword", "s_waitcnt vmcnt(0)"}},
      {"to_lds_waited", 64, {}},
  });
}

TEST_CASE("waves race on LDS", "[checks]") {
  check({
      {"pass_ordered", 256, {}},
      {"pass_ordered", 64, {}},
      {"pass_without_barrier", 256, {"race on LDS byte", "ds_write_b32", "ds_read_b32", "by wave"}},
      {"pass_without_wait", 256, {"race on LDS byte", "s_waitcnt"}},
      {"reuse_ordered", 256, {}},
      {"reuse_unordered", 256, {"race on LDS byte"}},
  });
  check({{"bytes_apart", 256, {}},
         {"bytes_shared", 256, {"race on LDS byte", "written here, written by wave"}},
         {"count_ordered", 256, {}},
         {"count_unordered", 256, {"race on LDS byte", "atomic"}}},
        true);
}

TEST_CASE("an unknown check is refused and the known ones are listed", "[checks]") {
  CHECK(hipsimSetOption("checks", "waits,typos") == hipErrorInvalidValue);
  CHECK_THAT(hipsimLastReport(), Contains("'typos' is not a check (waits, races"));
  CHECK(hipsimSetOption("cheks", "all") == hipErrorInvalidValue);
}
