// Input texts as MLIR modules, and what can be compiled in them.
#pragma once

#include "compiler/pipeline/request.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace moec {

/// A context with every dialect of the ladder loaded and no threads of its
/// own: a context belongs to one thread at a time.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Parses one input and hoists what nested modules hold, so that texts printed
/// one after the other read back as one. `verify` = false for files that refer
/// to symbols of other files. Null after diagnostics.
mlir::OwningOpRef<mlir::ModuleOp>
parseInput(const Input &input, mlir::MLIRContext *context, bool verify = true);

/// Something of an input that the ladder can go on from.
struct Item {
  enum class Kind { Stage, Layer, Program, Device };
  Kind kind;
  Rung rung;
  std::string name; ///< Its symbol; "" for a module of llvm.func.
  mlir::Operation *op;
};

/// The items of a parsed input in order. An operation that is none is an
/// error at its place, and so are two items of one kind and name.
mlir::FailureOr<std::vector<Item>> findItems(mlir::ModuleOp module);

} // namespace moec
