// Device memory that other processes may map.
#pragma once

#include <cstdint>

namespace hipsim {

/// Closes what hipIpcGetMemHandle opened for an allocation that is now freed.
void forgetExport(void *pointer);
/// The same for all allocations of a device that is reset.
void forgetExportsOf(uint32_t device);

} // namespace hipsim
