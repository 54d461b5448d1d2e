// HIP calls of the support kernel tests; see simulated_device.h.

#include "tests/sim/support/simulated_device.h"

#include "runtime/hipsim/hip/hip_api.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

using namespace moec::test;

namespace {

void check(hipError_t error, const std::string &what) {
  if (error != hipSuccess)
    FAIL(what << ": " << hipGetErrorString(error) << "\n"
              << hipsimLastReport());
}

std::string chip() {
  const char *value = std::getenv("HIPSIM_ARCH");
  return value ? value : "gfx942";
}

/// The function, loaded once a process; modules live as long as it.
hipFunction_t loadKernel(const std::string &name) {
  static std::map<std::string, hipFunction_t> loaded;
  hipFunction_t &function = loaded[name];
  if (function)
    return function;
  std::string path =
      std::string(SUPPORT_KERNEL_DIR) + "/" + name + "." + chip() + ".hsaco";
  std::ifstream file(path, std::ios::binary);
  std::string image((std::istreambuf_iterator<char>(file)), {});
  if (image.empty())
    FAIL(path << ": no code object here; build the target support_kernels");
  hipModule_t module = nullptr;
  check(hipModuleLoadData(&module, image.data()), "hipModuleLoadData " + path);
  check(hipModuleGetFunction(&function, module, name.c_str()),
        "hipModuleGetFunction " + name);
  return function;
}

} // namespace

DeviceBuffer::DeviceBuffer(size_t bytes) {
  if (bytes)
    check(hipMalloc(&memory, bytes), "hipMalloc");
}

DeviceBuffer::~DeviceBuffer() {
  if (memory)
    (void)hipFree(memory);
}

void DeviceBuffer::write(const void *from, size_t bytes, size_t offset) {
  if (bytes)
    check(hipMemcpy(static_cast<char *>(memory) + offset, from, bytes,
                    hipMemcpyHostToDevice),
          "hipMemcpy to the device");
}

void DeviceBuffer::read(void *to, size_t bytes, size_t offset) const {
  if (bytes)
    check(hipMemcpy(to, static_cast<const char *>(memory) + offset, bytes,
                    hipMemcpyDeviceToHost),
          "hipMemcpy from the device");
}

void moec::test::launch(const std::string &name, Grid grid,
                        uint32_t blockThreads, std::vector<void *> args) {
  check(hipModuleLaunchKernel(loadKernel(name), grid.x, grid.y, 1, blockThreads,
                              1, 1, 0, nullptr, args.data(), nullptr),
        "hipModuleLaunchKernel " + name);
  check(hipDeviceSynchronize(), "hipDeviceSynchronize after " + name);
}

uint32_t moec::test::testSeed() {
  const char *value = std::getenv("MOEC_TEST_SEED");
  return value ? static_cast<uint32_t>(std::strtoul(value, nullptr, 10))
               : 20250u;
}

std::string moec::test::rerunCommand(const std::string &tag) {
  return "HIPSIM_ARCH=" + chip() +
         " MOEC_TEST_SEED=" + std::to_string(testSeed()) +
         " test_support_kernels \"" + tag + "\"";
}
