// Error codes, names and texts; hipsim's own report and statistics.
#include "runtime/hipsim/hip/runtime.h"

#include "runtime/hipsim/checks/check_set.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace hipsim;

namespace {

thread_local hipError_t lastError = hipSuccess;

struct ErrorText {
  hipError_t code;
  const char *name, *text;
};
#define HIPSIM_ERROR(NAME, TEXT) {NAME, #NAME, TEXT}
constexpr ErrorText errorTexts[] = {
    HIPSIM_ERROR(hipSuccess, "no error"),
    HIPSIM_ERROR(hipErrorInvalidValue, "invalid argument"),
    HIPSIM_ERROR(hipErrorOutOfMemory, "out of memory"),
    HIPSIM_ERROR(hipErrorNotInitialized, "initialization error"),
    HIPSIM_ERROR(hipErrorInvalidConfiguration, "invalid configuration argument"),
    HIPSIM_ERROR(hipErrorInvalidSymbol, "invalid device symbol"),
    HIPSIM_ERROR(hipErrorInvalidDevicePointer, "invalid device pointer"),
    HIPSIM_ERROR(hipErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    HIPSIM_ERROR(hipErrorInvalidDeviceFunction, "invalid device function"),
    HIPSIM_ERROR(hipErrorNoDevice, "no ROCm-capable device is detected"),
    HIPSIM_ERROR(hipErrorInvalidDevice, "invalid device ordinal"),
    HIPSIM_ERROR(hipErrorInvalidImage, "device kernel image is invalid"),
    HIPSIM_ERROR(hipErrorInvalidContext, "invalid device context"),
    HIPSIM_ERROR(hipErrorNoBinaryForGpu, "no kernel image is available for execution on the device"),
    HIPSIM_ERROR(hipErrorInvalidKernelFile, "invalid kernel file"),
    HIPSIM_ERROR(hipErrorFileNotFound, "file not found"),
    HIPSIM_ERROR(hipErrorSharedObjectInitFailed, "shared object initialization failed"),
    HIPSIM_ERROR(hipErrorInvalidHandle, "invalid resource handle"),
    HIPSIM_ERROR(hipErrorIllegalState, "the operation cannot be performed in the present state"),
    HIPSIM_ERROR(hipErrorNotFound, "named symbol not found"),
    HIPSIM_ERROR(hipErrorNotReady, "device not ready"),
    HIPSIM_ERROR(hipErrorIllegalAddress, "an illegal memory access was encountered"),
    HIPSIM_ERROR(hipErrorLaunchOutOfResources, "out of resources for launch"),
    HIPSIM_ERROR(hipErrorLaunchTimeOut, "the launch timed out and was terminated"),
    HIPSIM_ERROR(hipErrorContextIsDestroyed, "context is destroyed"),
    HIPSIM_ERROR(hipErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    HIPSIM_ERROR(hipErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    HIPSIM_ERROR(hipErrorLaunchFailure, "unspecified launch failure"),
    HIPSIM_ERROR(hipErrorNotSupported, "operation not supported"),
    HIPSIM_ERROR(hipErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    HIPSIM_ERROR(hipErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    HIPSIM_ERROR(hipErrorUnknown, "unknown error"),
};

const ErrorText *find(hipError_t error) {
  for (const ErrorText &e : errorTexts)
    if (e.code == error)
      return &e;
  return nullptr;
}

} // namespace

hipError_t hipsim::finish(hipError_t error) {
  // As in HIP, "not ready" is an answer and not an error.
  if (error != hipSuccess && error != hipErrorNotReady)
    lastError = error;
  return error;
}

const char *hipGetErrorName(hipError_t error) {
  const ErrorText *e = find(error);
  return e ? e->name : "hipErrorUnknown";
}

const char *hipGetErrorString(hipError_t error) {
  const ErrorText *e = find(error);
  return e ? e->text : "unknown error";
}

hipError_t hipGetLastError() {
  hipError_t error = lastError;
  lastError = hipSuccess;
  return error;
}

hipError_t hipPeekAtLastError() { return lastError; }

const char *hipsimLastReport() {
  thread_local std::string text;
  text = Runtime::get().lastReport();
  return text.c_str();
}

hipError_t hipsimSetOption(const char *name, const char *value) {
  Runtime &runtime = Runtime::get();
  std::string error, option = name ? name : "";
  uint32_t set = 0;
  if (!value)
    return finish(hipErrorInvalidValue);
  if (option == "seed") {
    runtime.seed = std::strtoull(value, nullptr, 10);
    return finish(hipSuccess);
  }
  if (option != "checks")
    error = "'" + option + "' is not an option (checks, seed)";
  else if (parseChecks(value, set, error)) {
    runtime.checks = set;
    return finish(hipSuccess);
  }
  runtime.report("hipsim: " + error + "\n");
  return finish(hipErrorInvalidValue);
}

int hipsimStatistics(hipsim_statistics *out) {
  if (!out || out->struct_size < sizeof(size_t))
    return hipErrorInvalidValue;
  Counters c = Runtime::get().counters();
  hipsim_statistics all = {};
  auto at = [&](StepClass k) { return c.steps[uint32_t(k)]; };
  all.scalar = at(StepClass::Scalar);
  all.scalar_memory = at(StepClass::ScalarMemory);
  all.branch = at(StepClass::Branch);
  all.control = at(StepClass::Control);
  all.vector = at(StepClass::Vector);
  all.transcendental = at(StepClass::Transcendental);
  all.matrix = at(StepClass::Matrix);
  all.lds = at(StepClass::Lds);
  all.global = at(StepClass::Global);
  all.buffer = at(StepClass::Buffer);
  all.scratch = at(StepClass::Scratch);
  all.waves = c.waves;
  all.workgroups = c.workgroups;
  all.struct_size = out->struct_size;
  std::memcpy(out, &all, std::min(out->struct_size, sizeof(all)));
  return hipSuccess;
}
