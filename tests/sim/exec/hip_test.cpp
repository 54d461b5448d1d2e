// The HIP surface: devices, streams, events, attributes, statistics.
#include "tests/sim/exec/device.h"

TEST_CASE("device properties", "[hip]") {
  int count = 0, value = 0;
  HIP_OK(hipInit(0));
  HIP_OK(hipGetDeviceCount(&count));
  CHECK(count == 1);
  hipDeviceProp_tR0600 p;
  HIP_OK(hipGetDevicePropertiesR0600(&p, 0));
  CHECK(std::string(p.gcnArchName) == "gfx942:sramecc+:xnack-");
  CHECK(p.multiProcessorCount == 304);
  CHECK(p.warpSize == 64);
  HIP_OK(hipDeviceGetAttribute(&value, 63, 0)); // hipDeviceAttributeMultiprocessorCount
  CHECK(value == 304);
  HIP_OK(hipDeviceGetAttribute(&value, 87, 0)); // hipDeviceAttributeWarpSize
  CHECK(value == 64);
  CHECK(hipDeviceGetAttribute(&value, 5555, 0) == hipErrorInvalidValue);
  CHECK(hipSetDevice(1) == hipErrorInvalidDevice);
  CHECK(std::string(hipGetErrorName(hipErrorInvalidDevice)) == "hipErrorInvalidDevice");
}

TEST_CASE("large allocations are cheap and accounted for", "[hip]") {
  size_t before, after, total;
  HIP_OK(hipMemGetInfo(&before, &total));
  void *pointer;
  HIP_OK(hipMalloc(&pointer, size_t(40) << 30)); // More than the machine has.
  HIP_OK(hipMemGetInfo(&after, &total));
  CHECK(before - after == size_t(40) << 30);
  hipPointerAttribute_t attributes;
  HIP_OK(hipPointerGetAttributes(&attributes, static_cast<char *>(pointer) + 5));
  CHECK(attributes.type == hipMemoryTypeDevice);
  HIP_OK(hipFree(pointer));
  HIP_OK(hipPointerGetAttributes(&attributes, pointer));
  CHECK(attributes.type == hipMemoryTypeUnregistered);
}

TEST_CASE("streams run in order, events tell when", "[hip]") {
  Module module("exec_group.O3");
  hipStream_t stream;
  hipEvent_t start, stop;
  HIP_OK(hipStreamCreateWithFlags(&stream, 1));
  HIP_OK(hipEventCreate(&start));
  HIP_OK(hipEventCreate(&stop));
  std::vector<uint32_t> in(16 * 256);
  Buffer<uint32_t> input(in), output(16);
  uint32_t *inPointer = input.get(), *outPointer = output.get();
  void *parameters[] = {&inPointer, &outPointer};
  HIP_OK(hipEventRecord(start, stream));
  HIP_OK(hipMemsetD32Async(inPointer, 3, 16 * 256, stream));
  HIP_OK(hipModuleLaunchKernel(module.function("lds_reduce"), 16, 1, 1, 256, 1, 1, 0, stream,
                               parameters, nullptr));
  HIP_OK(hipEventRecord(stop, stream));
  HIP_OK(hipStreamWaitEvent(nullptr, stop, 0));
  HIP_OK(hipEventSynchronize(stop));
  CHECK(hipStreamQuery(stream) == hipSuccess);
  CHECK(output.read() == std::vector<uint32_t>(16, 768));
  float ms = -1;
  HIP_OK(hipEventElapsedTime(&ms, start, stop));
  CHECK(ms >= 0);
  hipStreamCaptureStatus status;
  HIP_OK(hipStreamIsCapturing(stream, &status));
  CHECK(status == hipStreamCaptureStatusNone);
  HIP_OK(hipEventDestroy(start));
  HIP_OK(hipEventDestroy(stop));
  HIP_OK(hipStreamDestroy(stream));
  CHECK(hipStreamDestroy(stream) == hipErrorInvalidHandle);
}

TEST_CASE("function attributes and occupancy", "[hip]") {
  Module module("exec_group.O3");
  int value;
  HIP_OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                             module.function("lds_reduce")));
  CHECK(value == 1024);
  HIP_OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                             module.function("exactly64")));
  CHECK(value == 64);
  // 32 KiB each: two of the 64 KiB.
  HIP_OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
      &value, module.function("dynamic_lds"), 64, 32768));
  CHECK(value == 2);
}

TEST_CASE("statistics count waves and matrix instructions", "[hip]") {
  hipsim_statistics before = {}, after = {};
  before.struct_size = after.struct_size = sizeof(before);
  REQUIRE(hipsimStatistics(&before) == 0);
  Module module("exec_matrix.gfx942");
  Buffer<uint16_t> a(std::vector<uint16_t>(256, 0)), b(std::vector<uint16_t>(256, 0));
  Buffer<float> c(std::vector<float>(256, 0)), d(256);
  HIP_OK(module.run("f32_16x16x16bf16_1k", 1, 64, a.get(), b.get(), c.get(), d.get()));
  REQUIRE(hipsimStatistics(&after) == 0);
  CHECK(after.matrix - before.matrix == 1);
  CHECK(after.waves - before.waves == 1);
  CHECK(after.workgroups - before.workgroups == 1);
}
