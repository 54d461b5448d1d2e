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
/// Number of groups of `group` columns in `cols`; the last may be short.
inline int64_t groupCount(int64_t cols, int64_t group) {
  return (cols + group - 1) / group;
}
} // namespace mlir::tile
