// Error codes, names and texts; hipsim's own report and statistics.
#include "runtime/hipsim/hip/runtime.h"

#include "runtime/hipsim/checks/check_set.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace hipsim;

namespace {

thread_local hipError_t lastError = hipSuccess;
thread_local hipError_t lastResult = hipSuccess; ///< Of the last call at all.

struct ErrorText {
  hipError_t code;
  const char *name, *text;
};
constexpr ErrorText errorTexts[] = {
#define HIPSIM_ERROR(NAME, CODE, TEXT) {NAME, #NAME, TEXT},
#include "runtime/hipsim/hip/errors.def"
#undef HIPSIM_ERROR
};

const ErrorText *find(hipError_t error) {
  for (const ErrorText &e : errorTexts)
    if (e.code == error)
      return &e;
  return nullptr;
}

} // namespace

hipError_t hipsim::finish(hipError_t error) {
  lastResult = error;
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

hipError_t hipExtGetLastError() {
  hipError_t error = lastResult;
  lastResult = hipSuccess;
  return error;
}

hipError_t hipDrvGetErrorName(hipError_t error, const char **name) {
  if (!name)
    return hipErrorInvalidValue;
  *name = hipGetErrorName(error);
  return find(error) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipDrvGetErrorString(hipError_t error, const char **text) {
  if (!text)
    return hipErrorInvalidValue;
  *text = hipGetErrorString(error);
  return find(error) ? hipSuccess : hipErrorInvalidValue;
}

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
