// Asynchronous, pitched and typed memory calls.
#include "tests/sim/hip/surface.h"

TEST_CASE("Unit_hipMallocAsync_OrderedByTheStream", "[memory]") {
  Module module("hip_surface");
  Stream stream;
  Buffer<uint32_t> out(64);
  uint32_t *pointer;
  HIP_OK(hipMallocAsync(reinterpret_cast<void **>(&pointer), 256, stream));
  HIP_OK(hipMemsetD32Async(pointer, 20, 64, stream));
  HIP_OK(launch(module.function("add"), stream, 1, out.get(), pointer, 2u));
  HIP_OK(hipFreeAsync(pointer, stream)); // After the kernel.
  HIP_OK(hipStreamSynchronize(stream));
  CHECK(out.read() == Words(64, 22));
  CHECK(hipFreeAsync(pointer, stream) == hipErrorInvalidValue); // Twice.
  CHECK(hipFreeAsync(nullptr, stream) == hipErrorInvalidValue);
  CHECK(hipMallocAsync(nullptr, 4, stream) == hipErrorInvalidValue);
  HIP_OK(launch(module.function("add"), stream, 1, out.get(), pointer, 2u));
  CHECK(hipStreamSynchronize(stream) == hipErrorIllegalAddress);
  HIP_OK(hipDeviceReset());
}

TEST_CASE("Unit_hipMemcpy2D_Pitched", "[memory]") {
  // 5 rows of 12 bytes in a pitched allocation.
  void *pointer;
  size_t pitch;
  HIP_OK(hipMallocPitch(&pointer, &pitch, 12, 5));
  CHECK(pitch == 256);
  std::vector<uint8_t> in(60), out(60, 0);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = uint8_t(i);
  HIP_OK(hipMemset2D(pointer, pitch, 0xee, 12, 5));
  HIP_OK(hipMemcpy2D(pointer, pitch, in.data(), 12, 12, 4, hipMemcpyHostToDevice));
  HIP_OK(hipMemcpy2D(out.data(), 12, pointer, pitch, 12, 5, hipMemcpyDeviceToHost));
  std::fill(in.begin() + 48, in.end(), uint8_t(0xee)); // The fifth row.
  CHECK(in == out);
  CHECK(hipMemcpy2D(pointer, 8, in.data(), 12, 12, 4, hipMemcpyHostToDevice) ==
        hipErrorInvalidPitchValue);
  CHECK(hipMemcpy2D(pointer, pitch, in.data(), 12, 12, 600, hipMemcpyHostToDevice) ==
        hipErrorInvalidValue); // Past the end.
  CHECK(hipMemcpy2D(pointer, SIZE_MAX / 2, in.data(), 12, 12, 5, hipMemcpyHostToDevice) ==
        hipErrorInvalidValue); // Overflows.
  HIP_OK(hipFree(pointer));
}

TEST_CASE("Unit_hipMemcpy3D_Box", "[memory]") {
  // 2 slices of 3 rows of 4 bytes out of a 4 x 4 x 4 cube, from (0, 1, 1) on.
  std::vector<uint8_t> cube(64);
  for (size_t i = 0; i < 64; ++i)
    cube[i] = uint8_t(i);
  Buffer<uint8_t> box(24);
  hipMemcpy3DParms p = {};
  p.srcPtr = {cube.data(), 4, 4, 4};
  p.srcPos = {0, 1, 1};
  p.dstPtr = {box.get(), 4, 4, 3};
  p.extent = {4, 3, 2};
  p.kind = hipMemcpyHostToDevice;
  HIP_OK(hipMemcpy3D(&p));
  std::vector<uint8_t> expected;
  for (size_t z = 1; z < 3; ++z)
    for (size_t i = 0; i < 12; ++i)
      expected.push_back(uint8_t(z * 16 + 4 + i));
  CHECK(box.read() == expected);
  p.srcArray = &p;
  CHECK(hipMemcpy3D(&p) == hipErrorInvalidValue);
  CHECK(hipMemcpy3D(nullptr) == hipErrorInvalidValue);
}

TEST_CASE("Unit_hipMemsetD16_AndRanges", "[memory]") {
  Buffer<uint16_t> data(100);
  HIP_OK(hipMemsetD16(data.get() + 1, 0x1234, 98));
  auto got = data.read();
  CHECK(got[0] == 0xffff);
  CHECK(got[1] == 0x1234);
  CHECK(got[98] == 0x1234);
  CHECK(got[99] == 0xffff);
  CHECK(hipMemsetD16(data.get() + 1, 0, 100) == hipErrorInvalidValue);
  CHECK(hipMemsetD32(data.get(), 0, SIZE_MAX / 2) == hipErrorInvalidValue);
  hipDeviceptr_t base;
  size_t bytes;
  HIP_OK(hipMemGetAddressRange(&base, &bytes, data.get() + 50));
  CHECK(base == data.get());
  CHECK(bytes == 200);
  CHECK(hipMemGetAddressRange(&base, &bytes, &bytes) == hipErrorNotFound);
}
