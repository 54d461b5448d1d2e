// The profile that is being taken, for the launches.
#pragma once

#include "runtime/hipsim/timing/profile.h"

namespace hipsim {

/// Null: none. Launches keep it until they are done.
std::shared_ptr<timing::Profile> currentProfile();

} // namespace hipsim
