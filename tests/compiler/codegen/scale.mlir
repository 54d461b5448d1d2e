// Vectors: 16-byte loads stay whole, f32 math is packed, bf16 rounds in
// hardware-independent code on gfx942.
//
// RUN: moec compile %s --target=gfx942 --emit=asm | FileCheck %s

// CHECK-LABEL: scale:
// CHECK: global_load_dwordx4
// CHECK: v_pk_mul_f32
// CHECK: v_pk_mul_f32
// CHECK: global_store_dwordx2
gpu.module @scale {
  gpu.func @scale(%p: !llvm.ptr<1>, %out: !llvm.ptr<1>, %factor: f32) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %thread = gpu.thread_id x
    %i = arith.index_cast %thread : index to i64
    %from = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xf32>
    %value = llvm.load %from {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    %factors = vector.broadcast %factor : f32 to vector<4xf32>
    %scaled = arith.mulf %value, %factors : vector<4xf32>
    %narrow = arith.truncf %scaled : vector<4xf32> to vector<4xbf16>
    %to = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xbf16>
    llvm.store %narrow, %to {alignment = 8 : i64} : vector<4xbf16>, !llvm.ptr<1>
    gpu.return
  }
}
