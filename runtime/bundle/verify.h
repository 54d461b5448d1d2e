// Structural checks of a bundle: what a loader relies on.
#pragma once

#include "runtime/bundle/bundle.h"

namespace moec {

/// Checks every index, count, size and name of `bundle`, so that whoever
/// carries out its plans need not. `name` is what messages call the input.
Status verifyBundle(const Bundle &bundle, const std::string &name);

} // namespace moec
