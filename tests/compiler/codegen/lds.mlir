// LDS: a global of address space 3 becomes static LDS, and a barrier between
// writing and reading it waits for the writes.
//
// RUN: moec compile %s --target=gfx942 --emit=asm | FileCheck %s

// CHECK-LABEL: reverse:
// CHECK: ds_write_b32
// CHECK: s_waitcnt lgkmcnt(0)
// CHECK-NEXT: s_barrier
// CHECK: ds_read_b32
// 256 threads of 4 bytes.
// CHECK: .group_segment_fixed_size: 1024
gpu.module @reverse {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x f32>

  gpu.func @reverse(%p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %thread = gpu.thread_id x
    %i = arith.index_cast %thread : index to i32
    %wide = arith.extui %i : i32 to i64
    %global = llvm.getelementptr %p[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %value = llvm.load %global : !llvm.ptr<1> -> f32
    %mine = llvm.getelementptr %tile[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %value, %mine : f32, !llvm.ptr<3>
    gpu.barrier
    %c255 = arith.constant 255 : i32
    %other = arith.subi %c255, %i : i32
    %theirs = llvm.getelementptr %tile[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %reversed = llvm.load %theirs : !llvm.ptr<3> -> f32
    llvm.store %reversed, %global : f32, !llvm.ptr<1>
    gpu.return
  }
}
