// Where a name of a code object is in its .text, for breakpoints.
#pragma once

#include "runtime/base/status.h"
#include "runtime/hipsim/isa/code_object.h"

#include <string>

namespace moec::hipsimrun {

/// A byte offset in .text from "0xOFFSET", "NAME" or "NAME+0xOFFSET"; NAME is a
/// kernel or a function. `file` is what `object` was loaded from.
Expected<uint64_t> findPlace(const std::string &text, const hipsim::CodeObject &object,
                             const std::string &file);

/// An AMDGPU ELF for a processor that the simulator does not know.
bool isOtherProcessor(const std::string &file);

} // namespace moec::hipsimrun
