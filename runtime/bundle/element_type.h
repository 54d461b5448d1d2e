// Element types of a plan's inputs and outputs, by the names that bundles use.
//
// One table for the runtime, which checks alignments, and for the tools, which
// fill and compare tensors, so that no one guesses a size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace moec {

/// Bytes of an element of `dtype`, e.g. "bf16"; 0 if it is not known.
uint32_t elementBytes(std::string_view dtype);

/// "bf16, f16, ...": for messages.
std::string elementTypeNames();

} // namespace moec
