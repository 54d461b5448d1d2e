// What is needed to repeat an internal failure, in a file.
#pragma once

#include <string>

namespace moec {

/// Writes `text` (a module) to a new file `moec-NAME-XXXXXX.mlir` in `folder`
/// ("": the system's temporary folder), under a comment with the reason and
/// the command that repeats the failure. Returns the path, "" if no file can
/// be written.
std::string writeReproducer(const std::string &text, const std::string &name,
                            const std::string &chip, const std::string &why,
                            const std::string &folder);

} // namespace moec
