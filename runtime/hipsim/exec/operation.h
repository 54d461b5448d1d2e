// The table from operations to handlers that a SIMD level provides.
//
// Every file of ops/ is compiled once for each level in HIPSIM_SIMD_LEVELS
// (CMakeLists.txt) and adds its operations to a table; the process picks one
// table when it starts. An operation without a handler is refused by name.
#pragma once

#include "runtime/hipsim/exec/wave.h"

namespace hipsim {

struct Operation {
  Handler handler = nullptr;
  /// For instructions with the clamp bit; null: this operation's handler deals
  /// with Step::outputModifiers itself (float) or clamp is refused (integer).
  Handler clampHandler = nullptr;
  StepClass stepClass = StepClass::Vector;
  ValueType type[3] = {ValueType::B32, ValueType::B32, ValueType::B32};
  bool floatResult = false;
  bool accumulates = false; ///< A missing last source is the destination.
};

struct OperationTable {
  Operation operations[uint32_t(Op::Count)];
  Operation &operator[](Op op) { return operations[uint32_t(op)]; }
  const Operation &operator[](Op op) const { return operations[uint32_t(op)]; }
  Handler sdwa = nullptr; ///< Wraps Step::inner.
  Handler dpp = nullptr;
};

/// The table of the best SIMD level that this processor has.
const OperationTable &operationTable();
/// Its name: "avx512", "avx2" or "baseline".
const char *simdLevel();

} // namespace hipsim
