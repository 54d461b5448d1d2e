// Wrong arguments and dead handles: HIP's error code, and the process lives.
#include "tests/sim/hip/surface.h"

#include <fstream>

using Catch::Matchers::Contains;

namespace {

/// The shape of a launch that should be refused.
hipError_t launchShape(hipFunction_t function, unsigned grid, unsigned block, unsigned lds) {
  uint32_t *pointer = nullptr;
  uint32_t factor = 1;
  void *parameters[] = {&pointer, &factor};
  return hipModuleLaunchKernel(function, grid, 1, 1, block, 1, 1, lds, nullptr, parameters,
                               nullptr);
}

hipError_t launchBuffer(hipFunction_t function, const void *bytes, size_t count) {
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void *>(bytes),
                   HIP_LAUNCH_PARAM_BUFFER_SIZE, &count, HIP_LAUNCH_PARAM_END};
  return hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra);
}

} // namespace

TEST_CASE("Unit_hipModuleLaunchKernel_Shapes", "[bad]") {
  Module module("hip_surface");
  hipFunction_t scale = module.function("scale");
  CHECK(launchShape(scale, 0, 64, 0) == hipErrorInvalidConfiguration);
  CHECK(launchShape(scale, 1, 0, 0) == hipErrorInvalidConfiguration);
  CHECK(launchShape(scale, 1, 1025, 0) == hipErrorInvalidConfiguration);
  CHECK(launchShape(scale, 0xffffffffu, 2, 0) == hipErrorInvalidConfiguration);
  CHECK(launchShape(scale, 1, 64, 65537) == hipErrorLaunchOutOfResources);
  CHECK(launchShape(scale, 1, 64, 0xffffffffu) == hipErrorLaunchOutOfResources);
  CHECK_THAT(hipsimLastReport(), Contains("kernel scale") && Contains("65536"));
  CHECK(launchShape(nullptr, 1, 64, 0) == hipErrorInvalidHandle);
  CHECK(hipModuleLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr) ==
        hipErrorInvalidValue);
  HIP_OK(hipDeviceSynchronize()); // Nothing was queued.
}

TEST_CASE("Unit_hipModuleLaunchKernel_ArgumentSizes", "[bad]") {
  Module module("hip_surface");
  hipFunction_t scale = module.function("scale");
  Buffer<uint32_t> data(Words(64, 2));
  struct {
    uint32_t *pointer;
    uint32_t factor, padding;
  } packed = {data.get(), 21, 0};
  CHECK(launchBuffer(scale, &packed, 8) == hipErrorInvalidValue); // 12 are needed.
  CHECK_THAT(hipsimLastReport(), Contains("has 8 bytes; the kernel takes 12"));
  CHECK(launchBuffer(scale, &packed, 100000) == hipErrorInvalidValue);
  CHECK(launchBuffer(scale, nullptr, 16) == hipErrorInvalidValue);
  HIP_OK(launchBuffer(scale, &packed, 12));
  HIP_OK(launchBuffer(scale, &packed, sizeof(packed)));
  CHECK(data.read() == Words(64, 882)); // 2 * 21 * 21
  void *unknown[] = {reinterpret_cast<void *>(9), &packed, HIP_LAUNCH_PARAM_END};
  CHECK(hipModuleLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, unknown) ==
        hipErrorInvalidValue);
}

TEST_CASE("Unit_hipModuleLaunchKernel_NullArgumentFaults", "[bad]") {
  Module module("hip_surface");
  HIP_OK(launchShape(module.function("scale"), 1, 64, 0)); // A null pointer as argument.
  CHECK(hipDeviceSynchronize() == hipErrorIllegalAddress);
  CHECK_THAT(hipsimLastReport(), Contains("illegal read of 4 bytes at 0x0"));
  HIP_OK(hipDeviceReset());
}

TEST_CASE("Unit_hipHandles_Destroyed", "[bad]") {
  hipStream_t stream;
  hipEvent_t event;
  hipModule_t module;
  hipFunction_t function;
  hipGraph_t graph;
  hipGraphExec_t exec;
  Buffer<uint32_t> data(64);
  HIP_OK(hipStreamCreate(&stream));
  HIP_OK(hipStreamDestroy(stream));
  HIP_OK(hipEventCreate(&event));
  HIP_OK(hipEventDestroy(event));
  HIP_OK(hipModuleLoad(&module, HIPSIM_TEST_KERNELS "/hip_surface.hsaco"));
  HIP_OK(hipModuleGetFunction(&function, module, "scale"));
  HIP_OK(hipModuleUnload(module));
  HIP_OK(hipGraphCreate(&graph, 0));
  HIP_OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  HIP_OK(hipGraphExecDestroy(exec));
  HIP_OK(hipGraphDestroy(graph));

  const hipError_t handle = hipErrorInvalidHandle;
  CHECK(hipStreamSynchronize(stream) == handle);
  CHECK(hipStreamQuery(stream) == handle);
  CHECK(hipStreamDestroy(stream) == handle);
  CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal) == handle);
  CHECK(hipMemsetAsync(data.get(), 0, 4, stream) == handle);
  CHECK(hipMallocAsync(reinterpret_cast<void **>(&event), 4, stream) == handle);
  CHECK(hipLaunchHostFunc(stream, [](void *) {}, nullptr) == handle);
  CHECK(hipEventRecord(event, nullptr) == handle);
  CHECK(hipEventSynchronize(event) == handle);
  CHECK(hipEventQuery(event) == handle);
  CHECK(hipEventDestroy(event) == handle);
  CHECK(hipStreamWaitEvent(nullptr, event, 0) == handle);
  CHECK(hipModuleUnload(module) == handle);
  CHECK(hipModuleGetFunction(&function, module, "scale") == handle);
  CHECK(launchShape(function, 1, 64, 0) == handle);
  int value;
  CHECK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, function) ==
        hipErrorInvalidDeviceFunction);
  size_t count;
  CHECK(hipGraphGetNodes(graph, nullptr, &count) == hipErrorInvalidValue);
  CHECK(hipGraphDestroy(graph) == hipErrorIllegalState);
  CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0) == hipErrorInvalidValue);
  CHECK(hipGraphLaunch(exec, nullptr) == hipErrorInvalidValue);
  CHECK(hipGraphExecDestroy(exec) == hipErrorInvalidValue);
}

TEST_CASE("Unit_hipAll_NullPointers", "[bad]") {
  const hipError_t value = hipErrorInvalidValue;
  hipModule_t module = nullptr;
  CHECK(hipGetDeviceCount(nullptr) == value);
  CHECK(hipGetDevice(nullptr) == value);
  CHECK(hipDeviceGetAttribute(nullptr, 0, 0) == value);
  CHECK(hipMalloc(nullptr, 4) == value);
  CHECK(hipHostMalloc(nullptr, 4, 0) == value);
  CHECK(hipMemcpy(nullptr, &module, 4, hipMemcpyDefault) == value);
  CHECK(hipMemset(nullptr, 0, 4) == value);
  CHECK(hipPointerGetAttributes(nullptr, &module) == value);
  CHECK(hipModuleLoadData(nullptr, &module) == value);
  CHECK(hipModuleLoadData(&module, nullptr) == value);
  CHECK(hipModuleLoad(&module, nullptr) == value);
  CHECK(hipGraphCreate(nullptr, 0) == value);
  CHECK(hipGraphDestroy(nullptr) == value);
  CHECK(hipGraphInstantiate(nullptr, nullptr, nullptr, nullptr, 0) == value);
  CHECK(hipGraphAddEmptyNode(nullptr, nullptr, nullptr, 0) == value);
  CHECK(hipStreamIsCapturing(nullptr, nullptr) == value);
  CHECK(hipLaunchHostFunc(nullptr, nullptr, nullptr) == value);
  HIP_OK(hipFree(nullptr));
  HIP_OK(hipMemcpy(nullptr, nullptr, 0, hipMemcpyDefault)); // Nothing to copy.
}

TEST_CASE("Unit_hipModuleLoad_NotAFile", "[bad]") {
  hipModule_t module;
  CHECK(hipModuleLoad(&module, "/proc/self") == hipErrorFileNotFound);
  CHECK(hipModuleLoad(&module, "/dev/null") == hipErrorInvalidImage);
}
