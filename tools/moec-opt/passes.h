// The steps of the ladder as passes, for moec-opt only: the compiler itself
// calls the functions behind them.
#pragma once

/// Registers moe-bind-problem, moe-to-tile, tile-to-rocdl, math-expand-for-gpu
/// and rocdl-to-llvm.
void registerMoecPasses();
