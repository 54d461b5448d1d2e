// The target table: all that the compiler knows of an architecture.
//
// One row an architecture. Nothing else in the tree may test an architecture
// by name; code asks the row. Plain data, no MLIR.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace moec {

/// A matrix instruction D[m x n] += A[m x k] * B[k x n] of one wave.
///
/// Lane l holds, of A, row l % m and of B, column l % n, both with the k
/// elements kPerLane * (l / m) + 0..kPerLane-1; of D, column l % n and rows
/// 4 * (l / n) + 0..3 (for m = n = 16).
struct MatrixInstruction {
  std::string_view element;   ///< Of A and B: "bf16".
  int m, n, k;
  int kPerLane;
  std::string_view rocdlOp;   ///< MLIR operation.
  std::string_view operandElement; ///< Element type the operation wants: "i16", "bf16".
};

struct Target {
  std::string_view name;      ///< "gfx942", what users type.
  std::string_view device;    ///< "MI300X"
  std::string_view triple;
  std::string_view features;  ///< LLVM subtarget features, usually none.
  int waveLanes;
  int simdsPerCu, maxWavesPerSimd;
  int computeUnits, xcds;
  int vgprsPerSimd;           ///< 32-bit registers a lane of a SIMD, all waves.
  int vgprGranule;
  int maxVgprs;               ///< Of one wave, vector and accumulator together.
  int64_t ldsBytes;           ///< Of a workgroup and of a compute unit.
  int maxWorkgroup;           ///< Threads.
  std::string_view fp8;       ///< "fnuz" or "ocp".
  std::span<const MatrixInstruction> matrix; ///< Widest k first.
  /// Prefixes of MLIR operations that it has no instruction for. LLVM aborts
  /// on what it cannot select, so that code generation refuses these first.
  std::span<const std::string_view> absentOps;

  /// The widest matrix instruction of `m` rows on `element`, if any.
  const MatrixInstruction *findMatrix(std::string_view element, int m) const;
  /// Waves of a kernel that fit one SIMD at once.
  int wavesPerSimd(int vgprs, int64_t lds, int workgroupThreads) const;
};

/// All rows.
std::span<const Target> targets();
/// The row called `name`, or null.
const Target *findTarget(std::string_view name);
/// "gfx942, gfx950", for messages.
std::string targetNames();

} // namespace moec
