// Whole files in and out.
//
// Every file of ours is written aside, synced and renamed, so that a reader
// sees the old file or the new one and never half of it (R31).
#pragma once

#include "runtime/base/status.h"

#include <string>
#include <string_view>

namespace moec {

/// Reads a whole regular file; ErrorCode::File names the path and the reason.
Expected<std::string> readFile(const std::string &path);

/// Replaces `path` by `bytes` as one step; on failure `path` is unchanged and
/// nothing is left beside it.
Status writeFileAtomically(const std::string &path, std::string_view bytes);

} // namespace moec
