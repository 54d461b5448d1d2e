// What a wrong kernel or call reports: error code, words of the report, and
// that the device works again after a reset.
#include "tests/sim/exec/device.h"

using Catch::Matchers::Contains;

namespace {

/// The sticky error is seen by every later call until the reset.
void expectFault(hipError_t got, hipError_t expected) {
  CHECK(got == expected);
  void *pointer = nullptr;
  CHECK(hipMalloc(&pointer, 4) == expected);
  CHECK(hipDeviceReset() == hipSuccess);
  CHECK(hipDeviceSynchronize() == hipSuccess);
}

} // namespace

TEST_CASE("a store past an allocation names instruction, lane and allocation", "[fault]") {
  Module module("exec_group.O3");
  Buffer<uint32_t> output(25);
  uint64_t offset = 100; // The first byte after 25 dwords.
  hipError_t error = module.run("write_at", 3, 64, output.get(), offset);
  std::string report = hipsimLastReport();
  CHECK_THAT(report, Contains("illegal write of 4 bytes"));
  CHECK_THAT(report, Contains("kernel      write_at"));
  CHECK_THAT(report, Contains("global_store_dword"));
  CHECK_THAT(report, Contains("lane 37"));
  CHECK_THAT(report, Contains("0 bytes past the end of device allocation"));
  CHECK_THAT(report, Contains("of 100 bytes"));
  CHECK_THAT(report, Contains("HIPSIM_SEED"));
  expectFault(error, hipErrorIllegalAddress);
}

TEST_CASE("an access that straddles the end is a fault", "[fault]") {
  Module module("exec_group.O3");
  Buffer<uint32_t> output(25);
  hipError_t error = module.run("write_at", 1, 64, output.get(), uint64_t(98));
  CHECK_THAT(hipsimLastReport(), Contains("runs 2 bytes past the end"));
  expectFault(error, hipErrorIllegalAddress);
}

TEST_CASE("use after free", "[fault]") {
  Module module("exec_group.O3");
  uint32_t *freed;
  HIP_OK(hipMalloc(reinterpret_cast<void **>(&freed), 4096));
  HIP_OK(hipFree(freed));
  Buffer<uint32_t> output(64);
  hipError_t error = module.run("read_at", 1, 64, freed, output.get());
  CHECK_THAT(hipsimLastReport(), Contains("0 bytes into freed device allocation"));
  expectFault(error, hipErrorIllegalAddress);
}

TEST_CASE("an operation that is not implemented is refused by name", "[fault]") {
  Module module("exec_group.O3");
  Buffer<uint32_t> output(64);
  hipError_t error = module.run("unknown", 1, 64, output.get());
  CHECK_THAT(hipsimLastReport(), Contains("s_atomic_add is not implemented by the simulator"));
  CHECK_THAT(hipsimLastReport(), Contains("kernel      unknown"));
  CHECK_THAT(hipsimLastReport(), Contains(".text+0x"));
  expectFault(error, hipErrorLaunchFailure);
}

TEST_CASE("a trap", "[fault]") {
  Module module("exec_group.O3");
  Buffer<uint32_t> output(std::vector<uint32_t>{5, 0});
  hipError_t error = module.run("trap", 1, 64, output.get());
  CHECK_THAT(hipsimLastReport(), Contains("executed a trap"));
  expectFault(error, hipErrorLaunchFailure);
}

TEST_CASE("a wait that nobody can end is a deadlock", "[fault]") {
  Module module("exec_group.O3");
  Buffer<uint32_t> flag(std::vector<uint32_t>{0}), output(4);
  // Four groups wait for five.
  hipError_t error = module.run("grid_wait", 4, 64, flag.get(), 5u, output.get());
  CHECK_THAT(hipsimLastReport(), Contains("deadlock"));
  CHECK_THAT(hipsimLastReport(), Contains("repeats its state at .text+0x"));
  expectFault(error, hipErrorLaunchTimeOut);
}

TEST_CASE("a missing kernel lists the known ones", "[fault]") {
  Module module("exec_matrix.gfx942");
  hipFunction_t function;
  CHECK(hipModuleGetFunction(&function, module.get(), "absent") == hipErrorNotFound);
  CHECK_THAT(hipsimLastReport(), Contains("'absent'") && Contains("f32_16x16x16bf16_1k"));
}

TEST_CASE("launch limits", "[fault]") {
  Module module("exec_group.O3");
  Buffer<uint32_t> output(64);
  uint32_t *pointer = output.get();
  void *parameters[] = {&pointer};
  hipFunction_t exactly64 = module.function("exactly64");
  auto launch = [&](unsigned grid, unsigned block, unsigned lds) {
    return hipModuleLaunchKernel(exactly64, grid, 1, 1, block, 1, 1, lds, nullptr, parameters,
                                 nullptr);
  };
  CHECK(launch(1, 128, 0) == hipErrorInvalidConfiguration);
  CHECK_THAT(hipsimLastReport(), Contains("compiled for at most 64"));
  CHECK(launch(0, 64, 0) == hipErrorInvalidConfiguration);
  CHECK(launch(1, 64, 65537) == hipErrorLaunchOutOfResources);
  CHECK_THAT(hipsimLastReport(), Contains("a workgroup may have 65536"));
  CHECK(hipModuleLaunchKernel(exactly64, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr) ==
        hipErrorInvalidValue);
  CHECK(launch(1, 64, 65536) == hipSuccess);
  HIP_OK(hipDeviceSynchronize());
}

TEST_CASE("code objects that cannot be loaded", "[fault]") {
  hipModule_t module;
  CHECK(hipModuleLoad(&module, HIPSIM_TEST_KERNELS "/exec_matrix.gfx950.hsaco") ==
        hipErrorNoBinaryForGpu);
  CHECK_THAT(hipsimLastReport(), Contains("gfx950") && Contains("gfx942"));
  CHECK(hipModuleLoad(&module, "/no/such/file") == hipErrorFileNotFound);
  const char text[64] = "not a code object";
  CHECK(hipModuleLoadData(&module, text) == hipErrorInvalidImage);
}

TEST_CASE("handles and pointers that are not ours", "[fault]") {
  int local = 0;
  CHECK(hipFree(&local) == hipErrorInvalidValue);
  CHECK(hipStreamSynchronize(reinterpret_cast<hipStream_t>(&local)) == hipErrorInvalidHandle);
  CHECK(hipMemset(&local, 0, 4) == hipErrorInvalidValue);
  Buffer<uint32_t> buffer(4);
  CHECK(hipMemcpy(buffer.get(), &local, 20, hipMemcpyHostToDevice) == hipErrorInvalidValue);
  CHECK(hipGetLastError() == hipErrorInvalidValue);
  CHECK(hipGetLastError() == hipSuccess);
}
