// 32-bit integer arithmetic, buffers and LDS as one lane sees them.
//
// A thin vocabulary over upstream operations. ROCDL operations are built by
// name, so that no file of ours includes that dialect's header (20 s each).
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace moec {

/// Cache policies of buffer accesses (the `aux` operand).
enum class CachePolicy { Normal = 0, NonTemporal = 2 };

class LaneBuilder {
public:
  LaneBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  mlir::OpBuilder &builder() { return b; }
  mlir::Location location() const { return loc; }
  void setLocation(mlir::Location location) { loc = location; }

  mlir::Type i16Type() { return b.getIntegerType(16); }
  mlir::Type i32Type() { return b.getI32Type(); }
  mlir::Type f32Type() { return b.getF32Type(); }
  mlir::Type vector(int64_t lanes, mlir::Type element);
  mlir::Type pointer(unsigned addressSpace);

  // Integer arithmetic; constants fold.
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value bitAnd(mlir::Value x, mlir::Value y);
  mlir::Value bitOr(mlir::Value x, mlir::Value y);
  mlir::Value bitXor(mlir::Value x, mlir::Value y);
  mlir::Value shl(mlir::Value x, int64_t bits);
  mlir::Value shr(mlir::Value x, int64_t bits);
  mlir::Value divu(mlir::Value x, int64_t divisor);
  mlir::Value remu(mlir::Value x, int64_t divisor);
  mlir::Value less(mlir::Value x, mlir::Value y); ///< Unsigned; i1.
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value widen(mlir::Value x); ///< Zero-extend to i64.
  mlir::Value bitcast(mlir::Value x, mlir::Type type);

  // Vectors.
  mlir::Value extract(mlir::Value vector, int64_t i);
  mlir::Value pack(mlir::ValueRange elements);
  mlir::Value slice(mlir::Value vector, int64_t first, int64_t count);
  mlir::Value splat(mlir::Value x, int64_t lanes);
  mlir::Value zeros(int64_t lanes); ///< vector<lanes x f32>
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);

  // Memory.
  mlir::Value byteOffset(mlir::Value pointer, mlir::Value bytes);
  mlir::Value byteOffset(mlir::Value pointer, int64_t bytes);
  mlir::Value load(mlir::Type type, mlir::Value pointer, int64_t alignment);
  void store(mlir::Value value, mlir::Value pointer, int64_t alignment);
  /// A buffer of `bytes` (i64, < 4 GiB) from `base` on: accesses beyond it
  /// read zero and are not written.
  mlir::Value buffer(mlir::Value base, mlir::Value bytes);
  mlir::Value bufferLoad(mlir::Type type, mlir::Value buffer, mlir::Value lane,
                         mlir::Value uniform, CachePolicy policy);
  void bufferStore(mlir::Value value, mlir::Value buffer, mlir::Value lane);

  // The machine.
  mlir::Value uniform(mlir::Value x); ///< readfirstlane
  /// A 32-bit constant that the optimiser cannot see, in a scalar or a vector
  /// register: keeps `and_or` with two constants one instruction.
  mlir::Value opaqueScalar(uint32_t value);
  mlir::Value opaqueVector(uint32_t value);
  mlir::Value rotateRight(mlir::Value x, int64_t bits);
  void barrier();
  void schedulingFence();

  /// Any operation by name.
  mlir::Operation *op(llvm::StringRef name, mlir::TypeRange results,
                      mlir::ValueRange operands,
                      llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

private:
  mlir::Value assembly(llvm::StringRef text, llvm::StringRef constraint);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace moec
