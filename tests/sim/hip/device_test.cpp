// Several devices: properties, ownership of memory, peer access and copies.
#include "tests/sim/hip/surface.h"

#include <memory>
#include <set>

using Catch::Matchers::Contains;

namespace {

/// A module, a buffer and a stream on each device; device 0 is current after.
struct PerDevice {
  explicit PerDevice(int device) {
    HIP_OK(hipSetDevice(device));
    module = std::make_unique<Module>("hip_surface");
    data = std::make_unique<Buffer<uint32_t>>(Words(64, 10 + uint32_t(device)));
    stream = std::make_unique<Stream>();
    HIP_OK(hipSetDevice(0));
  }
  std::unique_ptr<Module> module;
  std::unique_ptr<Buffer<uint32_t>> data;
  std::unique_ptr<Stream> stream;
};

} // namespace

TEST_CASE("Unit_hipGetDeviceProperties_AllVersions", "[device]") {
  int count = 0;
  HIP_OK(hipGetDeviceCount(&count));
  REQUIRE(count == 3);
  hipDeviceProp_tR0600 now;
  hipDeviceProp_tR0000 old, older;
  HIP_OK(hipGetDevicePropertiesR0600(&now, 2));
  HIP_OK(hipGetDevicePropertiesR0000(&old, 2));
  HIP_OK(hipGetDeviceProperties(&older, 2));
  CHECK(std::memcmp(&old, &older, sizeof(old)) == 0);
  CHECK(std::string(old.gcnArchName) == now.gcnArchName);
  CHECK(old.totalGlobalMem == now.totalGlobalMem);
  CHECK(old.multiProcessorCount == 304);
  CHECK(old.warpSize == 64);
  CHECK(old.gcnArch == 942);
  CHECK(now.pciBusID == 3);
  CHECK(hipGetDevicePropertiesR0600(&now, 3) == hipErrorInvalidDevice);
  CHECK(hipGetDeviceProperties(nullptr, 0) == hipErrorInvalidValue);
  char id[16];
  int device = -1;
  HIP_OK(hipDeviceGetPCIBusId(id, sizeof(id), 2));
  HIP_OK(hipDeviceGetByPCIBusId(&device, id));
  CHECK(device == 2);
  CHECK(hipDeviceGetPCIBusId(id, 4, 0) == hipErrorInvalidValue);
  CHECK(hipDeviceGetByPCIBusId(&device, "0000:09:00.0") == hipErrorInvalidDevice);
  CHECK(hipDeviceGetByPCIBusId(&device, "nonsense") == hipErrorInvalidValue);
}

TEST_CASE("Unit_hipDeviceEnablePeerAccess_Codes", "[device]") {
  int can = -1;
  HIP_OK(hipDeviceCanAccessPeer(&can, 0, 1));
  CHECK(can == 1);
  HIP_OK(hipDeviceCanAccessPeer(&can, 1, 1));
  CHECK(can == 0);
  CHECK(hipDeviceCanAccessPeer(&can, 0, 3) == hipErrorInvalidDevice);
  CHECK(hipDeviceCanAccessPeer(nullptr, 0, 1) == hipErrorInvalidValue);
  CHECK(hipDeviceEnablePeerAccess(0, 0) == hipErrorInvalidDevice); // Itself.
  CHECK(hipDeviceEnablePeerAccess(9, 0) == hipErrorInvalidDevice);
  CHECK(hipDeviceEnablePeerAccess(1, 1) == hipErrorInvalidValue);
  CHECK(hipDeviceDisablePeerAccess(1) == hipErrorPeerAccessNotEnabled);
  HIP_OK(hipDeviceEnablePeerAccess(1, 0));
  CHECK(hipDeviceEnablePeerAccess(1, 0) == hipErrorPeerAccessAlreadyEnabled);
  HIP_OK(hipDeviceDisablePeerAccess(1));
  int value = -1;
  HIP_OK(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, 2));
  CHECK(value == 1);
}

TEST_CASE("Unit_hipDeviceEnablePeerAccess_KernelsNeedIt", "[device]") {
  PerDevice zero(0), one(1);
  // Device 0 reads memory of device 1.
  auto run = [&] {
    HIP_OK(launch(zero.module->function("add"), nullptr, 1, zero.data->get(), one.data->get(), 5u));
    return hipDeviceSynchronize();
  };
  CHECK(run() == hipErrorIllegalAddress);
  CHECK_THAT(hipsimLastReport(), Contains("illegal read") &&
                                     Contains("memory of device 1") &&
                                     Contains("device 0 has not enabled peer access"));
  // The error is of device 0 alone.
  HIP_OK(hipSetDevice(1));
  HIP_OK(hipDeviceSynchronize());
  HIP_OK(hipSetDevice(0));
  HIP_OK(hipDeviceReset());
  zero.data.reset();
  zero.data = std::make_unique<Buffer<uint32_t>>(64);
  HIP_OK(hipDeviceEnablePeerAccess(1, 0));
  HIP_OK(run());
  CHECK(zero.data->read() == Words(64, 16)); // 11 + 5
  HIP_OK(hipDeviceDisablePeerAccess(1));
  CHECK(run() == hipErrorIllegalAddress);
  HIP_OK(hipDeviceReset());
}

TEST_CASE("Unit_hipDeviceEnablePeerAccess_HostMemoryIsEverybodys", "[device]") {
  PerDevice one(1);
  uint32_t *pinned;
  HIP_OK(hipHostMalloc(reinterpret_cast<void **>(&pinned), 256, 0)); // Made on device 0.
  std::fill_n(pinned, 64, 4u);
  HIP_OK(launch(one.module->function("scale"), *one.stream, 1, pinned, 3u));
  HIP_OK(hipStreamSynchronize(*one.stream));
  CHECK(pinned[63] == 12);
  HIP_OK(hipHostFree(pinned));
}

TEST_CASE("Unit_hipMemcpyPeer_NeedsNoAccess", "[device]") {
  PerDevice one(1), two(2);
  HIP_OK(launch(one.module->function("scale"), *one.stream, 1, one.data->get(), 100u));
  HIP_OK(hipMemcpyPeer(two.data->get(), 2, one.data->get(), 1, 256)); // Follows the kernel.
  CHECK(two.data->read() == Words(64, 1100));
  HIP_OK(launch(two.module->function("scale"), *two.stream, 1, two.data->get(), 2u));
  HIP_OK(hipMemcpyPeerAsync(one.data->get(), 1, two.data->get(), 2, 256, *two.stream));
  HIP_OK(hipStreamSynchronize(*two.stream));
  CHECK(one.data->read() == Words(64, 2200));
  CHECK(hipMemcpyPeer(two.data->get(), 7, one.data->get(), 1, 256) == hipErrorInvalidDevice);
  CHECK(hipMemcpyPeer(two.data->get(), 2, one.data->get(), 1, 300) == hipErrorInvalidValue);
  CHECK(hipMemcpyPeer(nullptr, 2, one.data->get(), 1, 4) == hipErrorInvalidValue);
}

TEST_CASE("Unit_hipStreamWaitEvent_AcrossDevices", "[device]") {
  PerDevice zero(0), one(1);
  HIP_OK(hipDeviceEnablePeerAccess(1, 0));
  HIP_OK(hipSetDevice(1));
  Event done;
  HIP_OK(hipSetDevice(0));
  for (int i = 0; i < 20; ++i) {
    HIP_OK(hipMemsetD32Async(one.data->get(), i, 64, *one.stream));
    HIP_OK(launch(one.module->function("scale"), *one.stream, 1, one.data->get(), 2u));
    HIP_OK(hipEventRecord(done, *one.stream));
    HIP_OK(hipStreamWaitEvent(*zero.stream, done, 0));
    HIP_OK(launch(zero.module->function("add"), *zero.stream, 1, zero.data->get(), one.data->get(), 1u));
    HIP_OK(hipStreamSynchronize(*zero.stream));
    CHECK(zero.data->read() == Words(64, uint32_t(i) * 2 + 1));
  }
  HIP_OK(hipDeviceDisablePeerAccess(1));
}

TEST_CASE("Unit_hipModuleLaunchKernel_OtherDevice", "[device]") {
  PerDevice zero(0), one(1);
  CHECK(launch(zero.module->function("scale"), *one.stream, 1, one.data->get(), 2u) ==
        hipErrorInvalidHandle);
  CHECK_THAT(hipsimLastReport(), Contains("loaded on device 0") && Contains("of device 1"));
  HIP_OK(hipSetDevice(1));
  CHECK(launch(zero.module->function("scale"), nullptr, 1, one.data->get(), 2u) ==
        hipErrorInvalidHandle);
  HIP_OK(hipSetDevice(0));
  Event event; // Of device 0.
  CHECK(hipEventRecord(event, *one.stream) == hipErrorInvalidHandle);
  int device = -1;
  HIP_OK(hipStreamGetDevice(*one.stream, &device));
  CHECK(device == 1);
}

TEST_CASE("Unit_hipMalloc_BelongsToTheCurrentDevice", "[device]") {
  PerDevice two(2);
  hipPointerAttribute_t attributes;
  HIP_OK(hipPointerGetAttributes(&attributes, two.data->get() + 3));
  CHECK(attributes.device == 2);
  size_t before, after, total;
  HIP_OK(hipMemGetInfo(&before, &total)); // Of device 0.
  HIP_OK(hipSetDevice(2));
  void *pointer;
  HIP_OK(hipMalloc(&pointer, 1 << 20));
  HIP_OK(hipSetDevice(0));
  HIP_OK(hipMemGetInfo(&after, &total));
  CHECK(before == after);
  HIP_OK(hipFree(pointer)); // From another device is fine.
}

TEST_CASE("Unit_hipGetErrorName_Table", "[device]") {
  const struct {
    hipError_t code;
    int number;
    const char *name;
  } some[] = {
#define HIPSIM_ERROR(NAME, CODE, TEXT) {NAME, CODE, #NAME},
#include "runtime/hipsim/hip/errors.def"
#undef HIPSIM_ERROR
  };
  std::set<int> numbers;
  for (const auto &e : some) {
    CHECK(hipGetErrorName(e.code) == std::string(e.name));
    CHECK(!std::string(hipGetErrorString(e.code)).empty());
    CHECK(numbers.insert(e.number).second);
  }
  // Spot checks of the ABI, not of the table with itself.
  CHECK(hipGetErrorName(hipError_t(906)) == std::string("hipErrorStreamCaptureImplicit"));
  CHECK(hipGetErrorName(hipError_t(705)) == std::string("hipErrorPeerAccessNotEnabled"));
  CHECK(hipGetErrorString(hipError_t(700)) == std::string("an illegal memory access was encountered"));
  CHECK(hipGetErrorName(hipError_t(12345)) == std::string("hipErrorUnknown"));
  const char *text;
  CHECK(hipDrvGetErrorName(hipError_t(12345), &text) == hipErrorInvalidValue);
  CHECK(hipDrvGetErrorString(hipErrorNotReady, &text) == hipSuccess);
  CHECK(text == std::string("device not ready"));
  CHECK(hipSetDevice(77) == hipErrorInvalidDevice);
  CHECK(hipExtGetLastError() == hipErrorInvalidDevice);
  CHECK(hipExtGetLastError() == hipSuccess);
  CHECK(hipGetLastError() == hipErrorInvalidDevice);
}
