// stage -> tile: applies a schedule to a bound stage.
#pragma once

#include "runtime/base/status.h"

#include "dialects/moe/Moe.h"
#include "dialects/target/target.h"
#include "dialects/tile/Tile.h"
#include "mlir/IR/Builders.h"

namespace moec {

/// Builds the program of `stage` at `builder`'s insertion point.
///
/// Pre: every size is bound (bind_problem). Post: one tile.program with the
/// stage's name, arguments and, last, its output: rows a pair of the result's
/// element type, or of f32 where the stage sums the pairs of a token (the
/// combine kernel adds them up).
///
/// The program: the loads of `prefetch` steps are in flight; a step's weights
/// and scales stay in the registers they were loaded to, its activations pass
/// through one of two LDS buffers. The last steps, the very last of them
/// shorter when the contraction is no multiple of block_k, stand after the
/// loop. Example: README.md of dialects/tile.
///
/// On failure: a diagnostic, and Content or Unsupported.
ErrorCode stageToTile(mlir::moe::StageOp stage, mlir::tile::ScheduleAttr schedule,
                      const Target &target, mlir::OpBuilder &builder,
                      mlir::tile::ProgramOp &program);

} // namespace moec
