// What memory bounds: bandwidth, latency, sharing between workgroups.
#include "tests/sim/timing/profiled.h"

#include <numeric>

namespace {

constexpr unsigned groups = 16384;            // Of 256 work items.
constexpr size_t copyBytes = size_t(groups) * 4096; // 64 MiB, twice: read, written.
constexpr double achievable = 4.3e6;          // Bytes a us (rates.def).

} // namespace

TEST_CASE("a pure copy is HBM bound at the table's bandwidth", "[memory]") {
  Module module("time_memory.gfx942");
  Buffer<unsigned> in(copyBytes / 4), out(copyBytes / 4);
  Json k = profiled(module, "copy16", groups, 256, in.get(), out.get());
  // 128 MiB at 4.3 TB/s: 31.2 us, and about two latencies of 0.9 us.
  CHECK(k["bound"] == "HBM");
  CHECK(kernelUs(k) >= 2 * copyBytes / achievable);
  CHECK(kernelUs(k) < 2 * copyBytes / achievable + 2.5);
  // The kernel arguments are a line more.
  CHECK(double(k["counters"]["hbm"]["read_bytes"]) == double(copyBytes + 128));
  CHECK(double(k["counters"]["hbm"]["write_bytes"]) == double(copyBytes));
  // 16384 workgroups x 4 waves x 2 instructions of 8 lines.
  CHECK(double(k["counters"]["l1"]["requests"]) == Approx(groups * 4 * 2).epsilon(0.001));
  CHECK(double(k["counters"]["l1"]["lines"]) == Approx(groups * 4 * 2 * 8).epsilon(0.001));
  CHECK(double(k["counters"]["l1"]["hits"]) == 0);
}

TEST_CASE("4-byte loads keep too few bytes in flight", "[memory]") {
  Module module("time_memory.gfx942");
  constexpr unsigned groups = 608, bytes = 8 * 16; // A work item reads 128 B.
  Buffer<unsigned> in(size_t(groups) * 1024 * bytes / 4), out(1024);
  // 32 waves a unit with one load each. 16 B a lane: 32 KiB in flight, more
  // than the 6.74 B/clk * 1890 clk = 12.7 KiB that HBM asks for. 76 MiB at 4.3
  // TB/s are 18.5 us.
  Json wide = profiled(module, "stream16", groups, 1024, in.get(), bytes / 16, out.get());
  CHECK(wide["bound"] == "HBM");
  CHECK(kernelUs(wide) >= 18.5);
  CHECK(kernelUs(wide) < 18.5 + 2.5);
  // 4 B: 8 KiB, so latency decides: 32 loads one after the other, 1890 clk of
  // HBM and some 60 for L1, L2 and the loop: 62400 clk = 29.7 us.
  Buffer<unsigned> other(size_t(groups) * 1024 * bytes / 4);
  Json narrow = profiled(module, "stream4", groups, 1024, other.get(), bytes / 4, out.get());
  CHECK(kernelUs(narrow) == Approx(29.7).epsilon(0.1));
  CHECK(double(narrow["counters"]["bytes_in_flight_per_cu"]) <= 32 * 256);
}

TEST_CASE("one wave that chases pointers is latency bound", "[memory]") {
  Module module("time_memory.gfx942");
  constexpr unsigned hops = 100, stride = 4096 / 4;
  std::vector<unsigned> next(size_t(hops + 1) * stride);
  for (unsigned i = 0; i < hops; ++i)
    next[size_t(i) * stride] = (i + 1) * stride;
  Buffer<unsigned> in(next), out(64);
  Json k = profiled(module, "chase", 1, 64, in.get(), hops, out.get());
  // Each hop is one HBM latency of 0.9 us and some 20 instructions at most.
  CHECK(k["bound"] == "latency");
  CHECK(kernelUs(k) >= hops * 0.9);
  CHECK(kernelUs(k) < hops * 0.96 + 3);
  // The wait behind the load is the reason.
  const Json &worst = k["waits"]["by_instruction"][0];
  CHECK(std::string(worst["instruction"]).rfind("s_waitcnt", 0) == 0);
  CHECK(double(worst["share"]) > 0.9);
}

TEST_CASE("lines that workgroups share are fetched once an XCD", "[memory]") {
  Module module("time_memory.gfx942");
  constexpr unsigned elements = 65536; // 1 MiB
  Buffer<unsigned> in(elements * 4), out(608 * 256);
  Json k = profiled(module, "shared_read", 608, 256, in.get(), elements, out.get());
  // 8192 lines from HBM once; 8 XCDs fetch them, 7 times from MALL; the
  // kernel arguments are a few lines more.
  CHECK(double(k["counters"]["hbm"]["read_bytes"]) == Approx(1048576).epsilon(0.001));
  CHECK(double(k["counters"]["mall"]["bytes"]) == Approx(7 * 1048576.0).epsilon(0.001));
  CHECK(double(k["counters"]["l2"]["hits"]) / double(k["counters"]["l2"]["reads"]) > 0.95);
  CHECK(k["counters"]["l2"]["footprint_exceeds_l2"] == false);
  CHECK(k["bound"] != "HBM");
}

TEST_CASE("the second launch finds its input in MALL", "[memory]") {
  Module module("time_memory.gfx942");
  constexpr unsigned few = groups / 4; // 16 MiB in, 16 MiB out: both fit.
  Buffer<unsigned> in(few * 1024), out(few * 1024);
  Json document = profileOf([&] {
    for (int i = 0; i < 2; ++i)
      HIP_OK(module.run("copy16", few, 256, in.get(), out.get()));
  });
  REQUIRE(document["kernels"].size() == 2);
  CHECK(double(document["kernels"][0]["counters"]["hbm"]["read_bytes"]) == few * 4096.0 + 128);
  CHECK(double(document["kernels"][1]["counters"]["hbm"]["read_bytes"]) < 4096);
  CHECK(kernelUs(document["kernels"][1]) < kernelUs(document["kernels"][0]));
}
