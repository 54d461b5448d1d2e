// Finding a HIP library and its functions; see hip_library.h for the order.
#include "runtime/device/hip_library.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string_view>

namespace moec {
namespace {

constexpr const char *libraryNames[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                        "libamdhip64.so.5"};

/// The property structs of HIP, of which we need one string. ROCm 6 renamed
/// the function when it changed the struct and kept the old one beside it.
struct PropertyLayout {
  const char *function;
  size_t architectureOffset; ///< Of gcnArchName, char[256].
};
constexpr PropertyLayout propertyLayouts[] = {
    {"hipGetDevicePropertiesR0600", 1160},
    {"hipGetDeviceProperties", 396},
};
/// Larger than every property struct so far (792 and 1472 bytes).
constexpr size_t propertyBytes = 8192;

constexpr const char *howToChoose =
    "set MOEC_HIP_LIBRARY (or the library of the context) to the path of a HIP "
    "library, e.g. libamdhip64.so or the simulator libhipsim.so";

Status openError(const std::string &file, const char *chosenBy) {
  const char *reason = dlerror();
  return {ErrorCode::File,
          fmt::format("cannot load the HIP library '{}' ({}): {}", file, chosenBy,
                      reason ? reason : "unknown")};
}

/// A HIP library that somebody else has loaded, or null.
void *findLoaded() {
  if (void *symbol = dlsym(RTLD_DEFAULT, "hipModuleLaunchKernel")) {
    Dl_info info;
    if (dladdr(symbol, &info) && info.dli_fname)
      if (void *handle = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD))
        return handle;
  }
  for (const char *name : libraryNames)
    if (void *handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD))
      return handle;
  return nullptr;
}

Expected<void *> findLibrary(const std::string &named) {
  if (!named.empty()) {
    if (void *handle = dlopen(named.c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
    return openError(named, "named by the caller");
  }
  const char *variable = std::getenv("MOEC_HIP_LIBRARY");
  if (variable && *variable) {
    if (void *handle = dlopen(variable, RTLD_NOW | RTLD_LOCAL))
      return handle;
    return openError(variable, "named by MOEC_HIP_LIBRARY");
  }
  if (void *handle = findLoaded())
    return handle;
  for (const char *name : libraryNames)
    if (void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return handle;
  return Status(ErrorCode::File,
                fmt::format("no HIP library found: tried {}, {}, {}; {}",
                            libraryNames[0], libraryNames[1], libraryNames[2],
                            howToChoose));
}

} // namespace

Status HipLibrary::bind(void *handle) {
  const char *missing = nullptr;
  auto find = [&](const char *name, auto &function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(handle, name));
    return function != nullptr;
  };
#define MOEC_HIP_SYMBOL(name, parameters)                                      \
  if (!find(#name, name) && !missing)                                          \
    missing = #name;
#include "runtime/device/hip_symbols.def"
  find("hipGetErrorName", errorName);
  find("hipGetErrorString", errorString);
  find("hipsimLastReport", simulatorReport);
  for (const PropertyLayout &layout : propertyLayouts)
    if (find(layout.function, properties)) {
      architectureOffset = layout.architectureOffset;
      break;
    }
  if (!properties && !missing)
    missing = propertyLayouts[0].function;

  Dl_info info;
  if (hipModuleLaunchKernel &&
      dladdr(reinterpret_cast<void *>(hipModuleLaunchKernel), &info) &&
      info.dli_fname)
    file = info.dli_fname;
  if (missing)
    return {ErrorCode::Device,
            fmt::format("the library '{}' lacks the HIP function {}; {}", file,
                        missing, howToChoose)};
  return {};
}

Expected<std::shared_ptr<const HipLibrary>>
HipLibrary::open(const std::string &named) {
  Expected<void *> handle = findLibrary(named);
  if (!handle)
    return handle.status();
  auto library = std::make_shared<HipLibrary>();
  library->file = named.empty() ? "HIP" : named;
  if (Status status = library->bind(*handle); !status.ok())
    return status;
  return std::shared_ptr<const HipLibrary>(std::move(library));
}

Status HipLibrary::check(int error, const char *call) const {
  if (error == 0)
    return {};
  const char *name = errorName ? errorName(error) : nullptr;
  const char *text = errorString ? errorString(error) : nullptr;
  std::string message = fmt::format("{} failed: {} ({})", call,
                                    name ? name : "HIP error", error);
  if (text && (!name || std::string_view(text) != name))
    message += fmt::format(": {}", text);
  const char *report = simulatorReport ? simulatorReport() : nullptr;
  if (report && *report)
    message += fmt::format("; simulator: {}", report);
  return {ErrorCode::Device, message};
}

Expected<std::string> HipLibrary::architecture(int device) const {
  int count = 0;
  if (Status s = check(hipGetDeviceCount(&count), "hipGetDeviceCount"); !s.ok())
    return s;
  if (device < 0 || device >= count)
    return Status(ErrorCode::Usage, fmt::format("there is no device {}: '{}' has {} "
                                                "of them",
                                                device, file, count));
  auto buffer = std::make_unique<char[]>(propertyBytes);
  if (Status s = check(properties(buffer.get(), device), "hipGetDeviceProperties");
      !s.ok())
    return s;
  const char *name = buffer.get() + architectureOffset;
  std::string_view full(name, strnlen(name, 256));
  std::string_view base = full.substr(0, full.find(':'));
  if (base.empty())
    return Status(ErrorCode::Device,
                  fmt::format("'{}' does not say the architecture of device {}",
                              file, device));
  return std::string(base);
}

CurrentDevice::CurrentDevice(const HipLibrary &hip, int device) : hip(hip) {
  int current = -1;
  result = hip.check(hip.hipGetDevice(&current), "hipGetDevice");
  if (!result.ok() || current == device)
    return;
  result = hip.check(hip.hipSetDevice(device), "hipSetDevice");
  if (result.ok())
    previous = current;
}

CurrentDevice::~CurrentDevice() {
  // A failure here has nowhere to go; the caller's next HIP call reports it.
  if (previous >= 0)
    hip.hipSetDevice(previous);
}

} // namespace moec
