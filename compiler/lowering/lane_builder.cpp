// 32-bit integer arithmetic, buffers and LDS as one lane sees them.

#include "compiler/lowering/lane_builder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace moec {

/// Word 3 of a raw buffer descriptor: 32-bit elements, no swizzle.
constexpr int64_t kRawBufferFlags = 0x00027000;

Type LaneBuilder::vector(int64_t lanes, Type element) {
  return VectorType::get({lanes}, element);
}
Type LaneBuilder::pointer(unsigned addressSpace) {
  return LLVM::LLVMPointerType::get(b.getContext(), addressSpace);
}

Value LaneBuilder::i32(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(value)));
}
Value LaneBuilder::i64(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}
Value LaneBuilder::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}
Value LaneBuilder::sub(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(loc, x, y);
}
Value LaneBuilder::mul(Value x, Value y) {
  return b.createOrFold<arith::MulIOp>(loc, x, y);
}
Value LaneBuilder::bitAnd(Value x, Value y) {
  return b.createOrFold<arith::AndIOp>(loc, x, y);
}
Value LaneBuilder::bitOr(Value x, Value y) {
  return b.createOrFold<arith::OrIOp>(loc, x, y);
}
Value LaneBuilder::bitXor(Value x, Value y) {
  return b.createOrFold<arith::XOrIOp>(loc, x, y);
}
Value LaneBuilder::shl(Value x, int64_t bits) {
  return b.createOrFold<arith::ShLIOp>(loc, x, i32(bits));
}
Value LaneBuilder::shr(Value x, int64_t bits) {
  return b.createOrFold<arith::ShRUIOp>(loc, x, i32(bits));
}
Value LaneBuilder::divu(Value x, int64_t divisor) {
  return b.createOrFold<arith::DivUIOp>(loc, x, i32(divisor));
}
Value LaneBuilder::remu(Value x, int64_t divisor) {
  return b.createOrFold<arith::RemUIOp>(loc, x, i32(divisor));
}
Value LaneBuilder::less(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, x, y);
}
Value LaneBuilder::select(Value condition, Value x, Value y) {
  return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
}
Value LaneBuilder::widen(Value x) {
  return arith::ExtUIOp::create(b, loc, b.getI64Type(), x);
}
Value LaneBuilder::bitcast(Value x, Type type) {
  if (x.getType() == type)
    return x;
  if (isa<VectorType>(x.getType()) && isa<VectorType>(type))
    return vector::BitCastOp::create(b, loc, type, x);
  if (isa<VectorType>(x.getType()) || isa<VectorType>(type))
    return LLVM::BitcastOp::create(b, loc, type, x);
  return arith::BitcastOp::create(b, loc, type, x);
}

Value LaneBuilder::extract(Value vector, int64_t i) {
  return vector::ExtractOp::create(b, loc, vector, i);
}
Value LaneBuilder::pack(ValueRange elements) {
  Type type = vector(elements.size(), elements.front().getType());
  return vector::FromElementsOp::create(b, loc, type, elements);
}
Value LaneBuilder::slice(Value vector, int64_t first, int64_t count) {
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < count; ++i)
    mask.push_back(first + i);
  return vector::ShuffleOp::create(b, loc, vector, vector, mask);
}
Value LaneBuilder::splat(Value x, int64_t lanes) {
  return vector::BroadcastOp::create(b, loc, vector(lanes, x.getType()), x);
}
Value LaneBuilder::zeros(int64_t lanes) {
  return arith::ConstantOp::create(
      b, loc, b.getZeroAttr(vector(lanes, b.getF32Type())));
}
Value LaneBuilder::fma(Value x, Value y, Value z) {
  return math::FmaOp::create(b, loc, x, y, z);
}

Value LaneBuilder::byteOffset(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}
Value LaneBuilder::byteOffset(Value pointer, int64_t bytes) {
  if (!bytes)
    return pointer;
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}
Value LaneBuilder::load(Type type, Value pointer, int64_t alignment) {
  return LLVM::LoadOp::create(b, loc, type, pointer, alignment);
}
void LaneBuilder::store(Value value, Value pointer, int64_t alignment) {
  LLVM::StoreOp::create(b, loc, value, pointer, alignment);
}

Value LaneBuilder::buffer(Value base, Value bytes) {
  Value stride = arith::ConstantOp::create(b, loc, b.getI16IntegerAttr(0));
  return op("rocdl.make.buffer.rsrc", pointer(8),
            {base, stride, bytes, i32(kRawBufferFlags)})
      ->getResult(0);
}
Value LaneBuilder::bufferLoad(Type type, Value buffer, Value lane, Value uniform,
                              CachePolicy policy) {
  return op("rocdl.raw.ptr.buffer.load", type,
            {buffer, lane, uniform, i32(int64_t(policy))})
      ->getResult(0);
}
void LaneBuilder::bufferStore(Value value, Value buffer, Value lane) {
  op("rocdl.raw.ptr.buffer.store", {}, {value, buffer, lane, i32(0), i32(0)});
}

Value LaneBuilder::uniform(Value x) {
  return op("rocdl.readfirstlane", x.getType(), x)->getResult(0);
}
Value LaneBuilder::assembly(StringRef text, StringRef constraint) {
  return LLVM::InlineAsmOp::create(b, loc, i32Type(), ValueRange{}, text, constraint,
                                   /*has_side_effects=*/false,
                                   /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}
Value LaneBuilder::opaqueScalar(uint32_t value) {
  return assembly("s_mov_b32 $0, 0x" + llvm::utohexstr(value), "=s");
}
Value LaneBuilder::opaqueVector(uint32_t value) {
  return assembly("v_mov_b32 $0, 0x" + llvm::utohexstr(value), "=v");
}
Value LaneBuilder::rotateRight(Value x, int64_t bits) {
  return op("llvm.intr.fshr", x.getType(), {x, x, i32(bits)})->getResult(0);
}
void LaneBuilder::barrier() { op("amdgpu.lds_barrier", {}, {}); }
void LaneBuilder::schedulingFence() {
  op("rocdl.sched.barrier", {}, {},
     b.getNamedAttr("mask", b.getI32IntegerAttr(0)));
}

Operation *LaneBuilder::op(StringRef name, TypeRange results, ValueRange operands,
                           ArrayRef<NamedAttribute> attributes) {
  OperationState state(loc, name);
  state.addTypes(results);
  state.addOperands(operands);
  state.addAttributes(attributes);
  return b.create(state);
}

} // namespace moec
