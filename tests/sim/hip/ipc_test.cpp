// Memory shared with another process. The child is this program, started anew
// with a hidden test: a fork alone would inherit the runtime without its threads.
#include "tests/sim/hip/surface.h"

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace {

std::string toHex(const hipIpcMemHandle_t &handle) {
  std::string text;
  char byte[3];
  for (char c : handle.reserved) {
    std::snprintf(byte, sizeof(byte), "%02x", unsigned(static_cast<unsigned char>(c)));
    text += byte;
  }
  return text;
}

hipIpcMemHandle_t fromHex(const std::string &text) {
  hipIpcMemHandle_t handle = {};
  for (size_t i = 0; i < sizeof(handle.reserved) && 2 * i + 1 < text.size(); ++i)
    handle.reserved[i] = char(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return handle;
}

/// Runs a hidden test of this program with the handle; its exit code.
int runChild(const char *test, const hipIpcMemHandle_t &handle) {
  std::string hex = toHex(handle);
  pid_t child = fork();
  if (child == 0) {
    setenv("HIPSIM_TEST_HANDLE", hex.c_str(), 1);
    execl("/proc/self/exe", "hipsim_hip_test", test, static_cast<char *>(nullptr));
    _exit(99);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

} // namespace

TEST_CASE("child: scales the memory by 3", "[.ipc-child]") {
  Module module("hip_surface");
  hipIpcMemHandle_t handle = fromHex(std::getenv("HIPSIM_TEST_HANDLE"));
  uint32_t *pointer, *again;
  HIP_OK(hipIpcOpenMemHandle(reinterpret_cast<void **>(&pointer), handle,
                             hipIpcMemLazyEnablePeerAccess));
  HIP_OK(hipIpcOpenMemHandle(reinterpret_cast<void **>(&again), handle,
                             hipIpcMemLazyEnablePeerAccess));
  CHECK(pointer == again);
  uint32_t first = 0;
  HIP_OK(hipMemcpy(&first, pointer, 4, hipMemcpyDeviceToHost));
  CHECK(first == 14);
  HIP_OK(launch(module.function("scale"), nullptr, 1, pointer, 3u));
  HIP_OK(hipDeviceSynchronize());
  hipIpcMemHandle_t other;
  CHECK(hipIpcGetMemHandle(&other, pointer) == hipErrorInvalidValue); // Not ours.
  CHECK(hipFree(pointer) == hipErrorInvalidValue);
  HIP_OK(hipIpcCloseMemHandle(pointer));
  HIP_OK(hipIpcCloseMemHandle(pointer)); // Opened twice.
  CHECK(hipIpcCloseMemHandle(pointer) == hipErrorInvalidValue);
  HIP_OK(launch(module.function("scale"), nullptr, 1, pointer, 3u));
  CHECK(hipDeviceSynchronize() == hipErrorIllegalAddress);
}

TEST_CASE("child: the handle is dead", "[.ipc-dead]") {
  void *pointer;
  hipIpcMemHandle_t handle = fromHex(std::getenv("HIPSIM_TEST_HANDLE"));
  CHECK(hipIpcOpenMemHandle(&pointer, handle, hipIpcMemLazyEnablePeerAccess) ==
        hipErrorMapFailed);
}

TEST_CASE("Unit_hipIpcGetMemHandle_OtherProcess", "[ipc]") {
  Module module("hip_surface");
  Buffer<uint32_t> data(Words(4096, 7)); // Several pages.
  hipIpcMemHandle_t handle, again;
  HIP_OK(launch(module.function("scale"), nullptr, 1, data.get(), 2u));
  HIP_OK(hipIpcGetMemHandle(&handle, data.get())); // Waits for the kernel.
  HIP_OK(hipIpcGetMemHandle(&again, data.get()));
  CHECK(std::memcmp(&handle, &again, sizeof(handle)) == 0);
  Words expected(4096, 7);
  std::fill_n(expected.begin(), 64, 14u);
  CHECK(data.read() == expected); // The pages moved, the bytes stayed.
  REQUIRE(runChild("[.ipc-child]", handle) == 0);
  std::fill_n(expected.begin(), 64, 42u); // 7 * 2 here, * 3 in the child.
  CHECK(data.read() == expected);
  HIP_OK(launch(module.function("scale"), nullptr, 1, data.get(), 2u));
  CHECK(data.read()[63] == 84);
}

TEST_CASE("Unit_hipIpcGetMemHandle_InsideAnAllocation", "[ipc]") {
  Buffer<uint32_t> data(Words(4096, 1));
  HIP_OK(hipMemsetD32(data.get() + 2000, 14, 64));
  hipIpcMemHandle_t handle;
  HIP_OK(hipIpcGetMemHandle(&handle, data.get() + 2000));
  REQUIRE(runChild("[.ipc-child]", handle) == 0);
  Words got = data.read();
  CHECK(got[1999] == 1);
  CHECK(got[2000] == 42);
  CHECK(got[2063] == 42);
  CHECK(got[2064] == 1);
}

TEST_CASE("Unit_hipIpcGetMemHandle_LargeAndLazy", "[ipc]") {
  // 40 GiB of which one page exists: only that page is copied.
  uint32_t *pointer;
  HIP_OK(hipMalloc(reinterpret_cast<void **>(&pointer), size_t(40) << 30));
  uint32_t *middle = pointer + (size_t(5) << 30);
  HIP_OK(hipMemsetD32(middle, 14, 64));
  hipIpcMemHandle_t handle;
  HIP_OK(hipIpcGetMemHandle(&handle, middle));
  REQUIRE(runChild("[.ipc-child]", handle) == 0);
  uint32_t value = 0;
  HIP_OK(hipMemcpy(&value, middle, 4, hipMemcpyDeviceToHost));
  CHECK(value == 42);
  HIP_OK(hipFree(pointer));
  CHECK(runChild("[.ipc-dead]", handle) == 0);
}

TEST_CASE("Unit_hipIpcOpenMemHandle_BadArguments", "[ipc]") {
  Buffer<uint32_t> data(64);
  hipIpcMemHandle_t handle, zero = {};
  void *pointer = nullptr;
  int local = 0;
  CHECK(hipIpcGetMemHandle(nullptr, data.get()) == hipErrorInvalidValue);
  CHECK(hipIpcGetMemHandle(&handle, nullptr) == hipErrorInvalidValue);
  CHECK(hipIpcGetMemHandle(&handle, &local) == hipErrorInvalidValue);
  HIP_OK(hipIpcGetMemHandle(&handle, data.get()));
  CHECK(hipIpcOpenMemHandle(&pointer, handle, hipIpcMemLazyEnablePeerAccess) ==
        hipErrorInvalidContext); // The exporting process itself.
  CHECK(hipIpcOpenMemHandle(&pointer, handle, 0) == hipErrorInvalidValue);
  CHECK(hipIpcOpenMemHandle(nullptr, handle, 1) == hipErrorInvalidValue);
  CHECK(hipIpcOpenMemHandle(&pointer, zero, 1) == hipErrorInvalidValue);
  CHECK(hipIpcCloseMemHandle(data.get()) == hipErrorInvalidValue);
  hipIpcEventHandle_t event;
  CHECK(hipIpcGetEventHandle(&event, nullptr) == hipErrorNotSupported);
}
