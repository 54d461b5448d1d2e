// Which schedule a stage gets on a target, and whether a given one is legal.
//
// Choosing is a pure function of the bound stage; it never looks at the
// machine it runs on. One family is here: tiles of 16
// rows, waves side by side along n, weights from memory to registers.
#pragma once

#include "runtime/base/status.h"

#include "dialects/target/target.h"
#include "dialects/tile/Tile.h"

namespace moec {

/// The numbers of a bound stage that scheduling needs.
struct StageShape {
  int64_t channels = 0;    ///< Output channels.
  int64_t depth = 0;       ///< Contraction elements.
  int64_t projections = 0; ///< Equal parts of the weights' channels.
  int64_t group = 0;       ///< Contraction elements a scale.

  static StageShape of(mlir::moe::StageOp stage);
};

/// What a schedule asks of the hardware.
struct Resources {
  int64_t ldsBytes = 0;
  /// Registers a lane that are live across the loop's step at the least:
  /// accumulators and the loads of the steps in flight.
  int64_t registers = 0;
};
Resources resourcesOf(const StageShape &shape, mlir::tile::ScheduleAttr schedule,
                      const Target &target);

/// The schedule of `stage`, for any number of tokens and on every target: this
/// one family has a single best guess. Legal for every supported shape.
mlir::tile::ScheduleAttr chooseSchedule(mlir::moe::StageOp stage);

/// Checks fields and resources; on failure a diagnostic at the stage says
/// which field, what it needs and what the target has. Content: the field can
/// never be right. Unsupported: not on this target.
ErrorCode checkSchedule(mlir::moe::StageOp stage,
                        mlir::tile::ScheduleAttr schedule, const Target &target);

} // namespace moec
