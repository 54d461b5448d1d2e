// A profile: the predictions of the launches between begin and end.
#pragma once

#include "runtime/hipsim/timing/report.h"

#include <memory>
#include <mutex>

namespace hipsim::timing {

struct ProfileOptions {
  uint32_t sample = 48; ///< Workgroups recorded in detail.
  uint64_t seed = 1;
  Options model;
};

/// Thread-safe: the workers of several devices may add to it.
class Profile {
public:
  explicit Profile(const ProfileOptions &options) : options(options) {}

  std::unique_ptr<Recorder> recorderFor(const Dispatch &dispatch) const;
  void add(const Dispatch &dispatch, Recorder &recorder);
  /// The whole document; see README.md.
  std::string json();

private:
  const ProfileOptions options;
  std::mutex mutex;
  MallState mall;
  JsonWriter kernels;
  uint64_t launches = 0;
  double totalUs = 0;
  Arch arch = Arch::Gfx942;
};

} // namespace hipsim::timing
