// The page of `moec profile --html`: one file, no script, nothing from outside.
#pragma once

#include "tools/moec/terminal.h"

namespace moec::tool {

/// `documents`: what hipsimProfileEnd returned, one a number of tokens.
std::string profilePage(const Json &documents);

} // namespace moec::tool
