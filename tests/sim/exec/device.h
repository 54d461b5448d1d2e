// What the tests of the executor need of HIP: buffers, modules, launches.
// Every HIP error fails the test with the simulator's report.
#pragma once

#include "runtime/hipsim/hip/hip_api.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#define HIP_OK(CALL)                                                           \
  do {                                                                         \
    hipError_t hipOkError = (CALL);                                            \
    INFO(#CALL " -> " << hipGetErrorName(hipOkError) << "\n"                   \
                      << hipsimLastReport());                                  \
    REQUIRE(hipOkError == hipSuccess);                                         \
  } while (0)

/// Device memory of `count` values, filled with 0xFF bytes (NaN) at first.
template <class T> class Buffer {
public:
  explicit Buffer(size_t count) : count(count) {
    HIP_OK(hipMalloc(reinterpret_cast<void **>(&pointer), count * sizeof(T)));
    HIP_OK(hipMemset(pointer, 0xff, count * sizeof(T)));
  }
  explicit Buffer(const std::vector<T> &values) : Buffer(values.size()) {
    HIP_OK(hipMemcpy(pointer, values.data(), count * sizeof(T), hipMemcpyHostToDevice));
  }
  ~Buffer() { (void)hipFree(pointer); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  std::vector<T> read() const {
    std::vector<T> values(count);
    HIP_OK(hipMemcpy(values.data(), pointer, count * sizeof(T), hipMemcpyDeviceToHost));
    return values;
  }
  T *get() const { return pointer; }

private:
  T *pointer = nullptr;
  size_t count;
};

/// A code object that the build compiled: HIPSIM_TEST_KERNELS/<name>.hsaco.
class Module {
public:
  explicit Module(const std::string &name) {
    HIP_OK(hipModuleLoad(&module, (HIPSIM_TEST_KERNELS "/" + name + ".hsaco").c_str()));
  }
  ~Module() { (void)hipModuleUnload(module); }
  hipFunction_t function(const char *name) {
    hipFunction_t f = nullptr;
    HIP_OK(hipModuleGetFunction(&f, module, name));
    return f;
  }
  /// Launches and waits; returns what the synchronisation says.
  template <class... A>
  hipError_t run(const char *name, unsigned grid, unsigned block, A... arguments) {
    void *parameters[] = {static_cast<void *>(&arguments)...};
    HIP_OK(hipModuleLaunchKernel(function(name), grid, 1, 1, block, 1, 1, 0,
                                 nullptr, parameters, nullptr));
    return hipDeviceSynchronize();
  }
  hipModule_t get() const { return module; }

private:
  hipModule_t module = nullptr;
};
