// The `tile` dialect; definitions and documentation are in Tile.td.
#pragma once

#include "dialects/moe/Moe.h"

#include "dialects/tile/TileDialect.h.inc"
#include "dialects/tile/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.h.inc"

namespace mlir::tile {
/// Rows, and channels, of a fragment: those of the matrix instruction.
constexpr int64_t kTile = 16;

/// Why no target can have this schedule, "" if some may.
std::string scheduleProblem(ScheduleAttr schedule);

/// Number of groups of `group` columns in `cols`; the last may be short.
inline int64_t groupCount(int64_t cols, int64_t group) {
  return (cols + group - 1) / group;
}
} // namespace mlir::tile
