// The table from operations to handlers that a SIMD level provides.
//
// Every file of ops/ is compiled once for each level in HIPSIM_SIMD_LEVELS
// (CMakeLists.txt) and adds its operations to a table; the process picks one
// table when it starts. An operation without a handler is refused by name.
#pragma once

#include "runtime/hipsim/exec/wave.h"

namespace hipsim {

/// What a number is, for the modes of denormals and rounding.
enum class NumberType : uint8_t { Other, F16, F32, F64, PackedF16, PackedF32 };

struct Operation {
  Handler handler = nullptr;
  /// For instructions with the clamp bit; null: this operation's handler deals
  /// with Step::outputModifiers itself (float) or clamp is refused (integer).
  Handler clampHandler = nullptr;
  StepClass stepClass = StepClass::Vector;
  ValueType type[3] = {ValueType::B32, ValueType::B32, ValueType::B32};
  bool floatResult = false;
  bool accumulates = false; ///< A missing last source is the destination.
  NumberType number[3] = {}, result = NumberType::Other; ///< See float_mode.cpp.
};

struct OperationTable {
  Operation operations[uint32_t(Op::Count)];
  Operation &operator[](Op op) { return operations[uint32_t(op)]; }
  const Operation &operator[](Op op) const { return operations[uint32_t(op)]; }
  Handler sdwa = nullptr; ///< Wraps Step::inner.
  Handler dpp = nullptr;
  /// Wraps the handler of Step::operation in code that changes float modes.
  Handler floatMode = nullptr;
  bool (*needsFloatMode)(Op op, const Operation &operation) = nullptr;
};

/// The table of the best SIMD level that this processor has.
const OperationTable &operationTable();
/// Its name: "avx512", "avx2" or "baseline".
const char *simdLevel();

} // namespace hipsim
