// Runs code that may take the process down and turns that into a message.
//
// LLVM is built here without assertions: malformed IR can fault, and the
// backend calls abort() on what it cannot select. This is the last resort
// behind the legality checks, not a substitute for them.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace moec {

/// Runs `body` on this thread. Returns an empty string if it returned
/// normally, otherwise why it did not; objects that it was using are then in
/// an unknown state and must be leaked, not destroyed. Signal handlers and
/// LLVM's fatal error handler are in place only while some thread is inside.
std::string runGuarded(llvm::function_ref<void()> body);

} // namespace moec
