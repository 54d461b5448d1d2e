// HIP as a table of functions found at run time.
//
// Nothing here is linked against HIP: the library is chosen by the caller, the
// environment or the process, and may be the simulator. What was asked for is
// never replaced by something else (R41).
#pragma once

#include "runtime/base/status.h"

#include <cstddef>
#include <memory>
#include <string>

namespace moec {

/// What hipMemcpy is told: HIP finds out where both pointers live.
inline constexpr int hipMemcpyDefaultKind = 4;

/// A HIP library. It is never closed: code that it launched may still run.
class HipLibrary {
public:
  /// Opens, in this order: `named` if not empty; else MOEC_HIP_LIBRARY if set
  /// and not empty; else a HIP library that the process has already loaded;
  /// else libamdhip64.so.7, .6, .5. The first two never fall back.
  static Expected<std::shared_ptr<const HipLibrary>>
  open(const std::string &named);

#define MOEC_HIP_SYMBOL(name, parameters) int(*name) parameters = nullptr;
#include "runtime/device/hip_symbols.def"

  /// File that the library was loaded from.
  const std::string &path() const { return file; }

  /// Success, or "<call> failed: <name> (<number>): <text>", with what the
  /// simulator reports, if it is the library.
  Status check(int error, const char *call) const;

  /// Architecture of a device without its feature suffixes, e.g. "gfx942".
  Expected<std::string> architecture(int device) const;

private:
  Status bind(void *handle);

  std::string file;
  const char *(*errorName)(int) = nullptr;
  const char *(*errorString)(int) = nullptr;
  const char *(*simulatorReport)() = nullptr; ///< hipsim only.
  int (*properties)(void *, int) = nullptr;
  size_t architectureOffset = 0;
};

/// Makes a device current for a scope and restores the previous one (R27).
class CurrentDevice {
public:
  CurrentDevice(const HipLibrary &hip, int device);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &operator=(const CurrentDevice &) = delete;
  const Status &status() const { return result; }

private:
  const HipLibrary &hip;
  int previous = -1; ///< Device to go back to, -1 for none.
  Status result;
};

} // namespace moec
