// SHA-256, to name a code object as `sha256sum` does.
#pragma once

#include <cstddef>
#include <string>

namespace hipsim {

/// 64 hexadecimal digits.
std::string sha256(const void *bytes, size_t size);

} // namespace hipsim
