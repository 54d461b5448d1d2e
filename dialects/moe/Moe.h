// The `moe` dialect; definitions and documentation are in Moe.td.
//
// Keep heavy headers (ROCDL, LLVM) out of here: every file of the compiler
// includes this one.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/moe/MoeDialect.h.inc"
#include "dialects/moe/MoeEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/moe/MoeAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/moe/MoeTypes.h.inc"

namespace mlir::moe {
class ContractOp;
/// Argument attribute of `moe.layer` that names the tensor a caller supplies.
constexpr llvm::StringLiteral kTensorAttr = "moe.tensor";

/// Names values after their types, for printing.
void nameByType(ValueRange values, OpAsmSetValueNameFn setName);
} // namespace mlir::moe

#define GET_OP_CLASSES
#include "dialects/moe/MoeOps.h.inc"
