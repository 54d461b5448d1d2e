// Whole files in and out.
//
// Every file of ours is written aside, synced and renamed, so that a reader
// sees the old file or the new one and never half of it (R31). Devices and pipes,
// which have no other side, are written in place.
#pragma once

#include "runtime/base/status.h"

#include <string>
#include <string_view>

namespace moec {

/// Reads a whole regular file; ErrorCode::File names the path and the reason.
Expected<std::string> readFile(const std::string &path);

/// Replaces the file `path`, or the one that it is a symbolic link to, by `bytes`
/// as one step; on failure it is unchanged and nothing is left beside it. What
/// exists and is no regular file (a device, a pipe) gets the bytes written to it.
Status writeFileAtomically(const std::string &path, std::string_view bytes);

} // namespace moec
