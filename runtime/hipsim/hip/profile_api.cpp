// hipsimProfileBegin and hipsimProfileEnd.
#include "runtime/hipsim/hip/hipsim.h"
#include "runtime/hipsim/hip/profile.h"
#include "runtime/hipsim/hip/runtime.h"

#include <algorithm>
#include <cstring>

using namespace hipsim;

namespace {

std::mutex profileMutex;
std::shared_ptr<timing::Profile> taken;

hipError_t waitForDevices() {
  hipError_t first = hipSuccess;
  for (auto &device : Runtime::get().devices)
    if (hipError_t error = device->waitAll(); error && !first)
      first = error;
  return first;
}

} // namespace

std::shared_ptr<timing::Profile> hipsim::currentProfile() {
  std::lock_guard lock(profileMutex);
  return taken;
}

int hipsimProfileBegin(const hipsim_profile_options *given) {
  hipsim_profile_options all = {};
  if (given) {
    if (given->struct_size < sizeof(size_t) || given->struct_size > sizeof(all))
      return finish(hipErrorInvalidValue);
    std::memcpy(&all, given, given->struct_size);
  }
  if (hipError_t error = waitForDevices())
    return finish(error);
  timing::ProfileOptions options;
  if (all.sample_workgroups)
    options.sample = std::min(all.sample_workgroups, 100000u);
  if (all.seed)
    options.seed = all.seed;
  options.model.packedFloatOverlaps = all.packed_f32_overlaps != 0;
  std::lock_guard lock(profileMutex);
  if (taken)
    return finish(hipErrorInvalidValue);
  taken = std::make_shared<timing::Profile>(options);
  return hipSuccess;
}

int hipsimProfileEnd(const char **json) {
  thread_local std::string text;
  if (!json)
    return finish(hipErrorInvalidValue);
  hipError_t error = waitForDevices();
  std::shared_ptr<timing::Profile> ended;
  {
    std::lock_guard lock(profileMutex);
    ended.swap(taken);
  }
  if (!ended)
    return finish(hipErrorInvalidValue);
  text = ended->json();
  *json = text.c_str();
  return finish(error);
}
