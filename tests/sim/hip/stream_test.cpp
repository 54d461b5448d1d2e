// Streams, events, callbacks, occupancy.
#include "tests/sim/hip/surface.h"

#include <atomic>
#include <thread>

namespace {

/// A host function that holds its stream until released.
struct Gate {
  std::atomic<bool> open{false};
  ~Gate() { open = true; }
  void hold(hipStream_t stream) {
    HIP_OK(hipLaunchHostFunc(
        stream,
        [](void *self) {
          while (!static_cast<Gate *>(self)->open)
            std::this_thread::yield();
        },
        this));
  }
};

} // namespace

TEST_CASE("Unit_hipStreamCreateWithPriority_FlagsAndPriority", "[stream]") {
  int least = 9, greatest = 9, priority = 9;
  unsigned flags = 9;
  HIP_OK(hipDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(least == 1);
  CHECK(greatest == -1);
  hipStream_t stream;
  HIP_OK(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, -5));
  HIP_OK(hipStreamGetPriority(stream, &priority));
  HIP_OK(hipStreamGetFlags(stream, &flags));
  CHECK(priority == -1); // The nearest legal one.
  CHECK(flags == hipStreamNonBlocking);
  HIP_OK(hipStreamDestroy(stream));
  CHECK(hipStreamGetFlags(stream, &flags) == hipErrorInvalidHandle);
  CHECK(hipStreamCreateWithFlags(&stream, 2) == hipErrorInvalidValue);
  CHECK(hipStreamCreate(nullptr) == hipErrorInvalidValue);
  CHECK(hipStreamDestroy(nullptr) == hipErrorInvalidHandle);
}

TEST_CASE("Unit_hipStreamQuery_LegacyWaitsForBlockingStreamsOnly", "[stream]") {
  for (unsigned flags : {hipStreamDefault, hipStreamNonBlocking}) {
    Stream stream(flags);
    HIP_OK(hipDeviceSynchronize());
    Gate gate;
    gate.hold(stream);
    CHECK(hipStreamQuery(stream) == hipErrorNotReady);
    CHECK(hipStreamQuery(nullptr) ==
          (flags == hipStreamDefault ? hipErrorNotReady : hipSuccess));
    if (flags == hipStreamNonBlocking)
      HIP_OK(hipStreamSynchronize(nullptr)); // Would hang if it waited.
    gate.open = true;
    HIP_OK(hipStreamSynchronize(nullptr));
    HIP_OK(hipStreamSynchronize(stream));
    CHECK(hipStreamQuery(stream) == hipSuccess);
  }
}

TEST_CASE("Unit_hipStreamPerThread_IsAStreamOfItsOwn", "[stream]") {
  Buffer<uint32_t> data(64);
  std::thread([&] {
    CHECK(hipMemsetD32Async(data.get(), 6, 64, hipStreamPerThread) == hipSuccess);
    CHECK(hipStreamSynchronize(hipStreamPerThread) == hipSuccess);
    unsigned flags = 9;
    CHECK(hipStreamGetFlags(hipStreamPerThread, &flags) == hipSuccess);
    CHECK(flags == hipStreamDefault);
  }).join();
  CHECK(data.read() == Words(64, 6));
}

TEST_CASE("Unit_hipEventCreateWithFlags_Flags", "[event]") {
  hipEvent_t event = nullptr;
  CHECK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming) ==
        hipErrorNotSupported);
  CHECK(std::string(hipsimLastReport()).find("hipEventInterprocess") != std::string::npos);
  CHECK(hipEventCreateWithFlags(&event, 0x100) == hipErrorInvalidValue);
  CHECK(hipEventCreateWithFlags(nullptr, 0) == hipErrorInvalidValue);
  Event timed, untimed(hipEventDisableTiming);
  float ms = -1;
  CHECK(hipEventElapsedTime(&ms, timed, untimed) == hipErrorInvalidHandle); // Not recorded.
  HIP_OK(hipEventRecord(timed, nullptr));
  HIP_OK(hipEventRecord(untimed, nullptr));
  HIP_OK(hipEventSynchronize(untimed));
  CHECK(hipEventElapsedTime(&ms, timed, untimed) == hipErrorInvalidHandle);
  HIP_OK(hipEventElapsedTime(&ms, timed, timed));
  CHECK(ms == 0);
  CHECK(hipEventElapsedTime(nullptr, timed, timed) == hipErrorInvalidValue);
}

TEST_CASE("Unit_hipEventQuery_NotReadyThenReady", "[event]") {
  Stream stream;
  Event event;
  CHECK(hipEventQuery(event) == hipSuccess); // Never recorded.
  Gate gate;
  gate.hold(stream);
  HIP_OK(hipEventRecord(event, stream));
  CHECK(hipEventQuery(event) == hipErrorNotReady);
  gate.open = true;
  HIP_OK(hipEventSynchronize(event));
  CHECK(hipEventQuery(event) == hipSuccess);
}

TEST_CASE("Unit_hipStreamAddCallback_OrderAndErrors", "[stream]") {
  Module module("hip_surface");
  Buffer<uint32_t> data(Words(64, 3));
  Stream stream;
  struct Seen {
    uint32_t *data;
    uint32_t value = 0;
    hipError_t status = hipErrorUnknown;
    hipStream_t stream = nullptr;
  } seen{data.get()}, failed{data.get()};
  auto callback = [](hipStream_t s, hipError_t status, void *argument) {
    auto *out = static_cast<Seen *>(argument);
    out->status = status;
    out->stream = s;
    out->value = *out->data;
  };
  HIP_OK(launch(module.function("scale"), stream, 1, data.get(), 4u));
  HIP_OK(hipStreamAddCallback(stream, callback, &seen, 0));
  HIP_OK(hipStreamSynchronize(stream));
  CHECK(seen.value == 12);
  CHECK(seen.status == hipSuccess);
  CHECK(seen.stream == stream);
  HIP_OK(launch(module.function("fail"), stream, 1, data.get()));
  HIP_OK(hipStreamAddCallback(stream, callback, &failed, 0));
  CHECK(hipStreamSynchronize(stream) == hipErrorLaunchFailure);
  CHECK(failed.status == hipErrorLaunchFailure);
  CHECK(hipStreamAddCallback(stream, nullptr, nullptr, 0) == hipErrorInvalidValue);
  CHECK(hipStreamAddCallback(stream, callback, nullptr, 1) == hipErrorInvalidValue);
  HIP_OK(hipDeviceReset());
}

TEST_CASE("Unit_hipModuleOccupancy_Blocks", "[stream]") {
  Module module("hip_surface");
  hipFunction_t add = module.function("add");
  int blocks = 0, grid = 0, block = 0;
  // At most 8 waves on each of 4 SIMDs: 32 waves of 64 items.
  HIP_OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 64, 0));
  CHECK(blocks == 32);
  HIP_OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, add, 1024, 0, 0));
  CHECK(blocks == 2); // 16 waves each.
  HIP_OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 64, 16384));
  CHECK(blocks == 4); // 64 KiB of LDS.
  HIP_OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 64, 65537));
  CHECK(blocks == 0);
  HIP_OK(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, add, 0, 0));
  CHECK(block == 1024);
  CHECK(grid == 2 * 304);
  HIP_OK(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, add, 0, 100));
  CHECK(block == 64); // 32 x 64 items beat 16 x 100.
  CHECK(grid == 32 * 304);
  CHECK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 0, 0) ==
        hipErrorInvalidValue);
  CHECK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nullptr, 64, 0) ==
        hipErrorInvalidDeviceFunction);
}

TEST_CASE("Unit_hipModuleLaunchCooperativeKernel_TooLarge", "[stream]") {
  Module module("hip_surface");
  Buffer<uint32_t> data(Words(64, 2));
  uint32_t *pointer = data.get(), factor = 8;
  void *parameters[] = {&pointer, &factor};
  hipFunction_t scale = module.function("scale");
  HIP_OK(hipModuleLaunchCooperativeKernel(scale, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters));
  CHECK(data.read() == Words(64, 16));
  // 32 blocks of 64 on each of 304 units are 9728.
  CHECK(hipModuleLaunchCooperativeKernel(scale, 9729, 1, 1, 64, 1, 1, 0, nullptr, parameters) ==
        hipErrorCooperativeLaunchTooLarge);
}
