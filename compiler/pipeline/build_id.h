// Identity of this compiler, for cache keys and bundles.
#pragma once

namespace moec {

/// "moec VERSION HASH llvm VERSION": equal for equal sources, wherever and
/// whenever they were built.
const char *compilerBuildId();

} // namespace moec
