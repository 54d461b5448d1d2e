// From a decoded instruction to a step: operands resolved to rows, constants
// widened to the operation's types, modifiers checked.
#pragma once

#include "runtime/hipsim/exec/operation.h"

#include <functional>
#include <string>

namespace hipsim {

/// Fills everything of `step` that its instruction determines. Returns why the
/// instruction cannot be executed, or an empty string. `floatModes`: the code
/// may run with other rounding or denormal modes than the default.
std::string prepareStep(Step &step, const OperationTable &table,
                        const std::function<const Row *(uint64_t)> &constantRows,
                        bool floatModes = false);

/// The lane that each lane reads under a DPP control; 64 when there is none.
/// False: the control is not known.
bool dppSourceLanes(const Instruction &instruction, Row &out);

/// A constant operand as the bits that an operation of type `type` sees.
uint64_t widenConstant(const Operand &operand, ValueType type);

} // namespace hipsim
