// What a launch needs of the trace functions.
#pragma once

#include "runtime/hipsim/exec/tracer.h"

#include <memory>

namespace hipsim {

/// The tracer that hipsimTrace() asked for; null when it asked for none.
std::shared_ptr<Tracer> makeTracer();

} // namespace hipsim
