// A matrix instruction in a rolled loop: the accumulator stays in place, in
// vector registers, and the loop is not unrolled.
//
// RUN: moec compile %s --target=gfx942 --emit=asm | FileCheck %s
// RUN: %exits 2 moec compile %s --target=gfx9 --emit=asm 2>&1 | FileCheck %s --check-prefix=NAME

// CHECK-LABEL: product:
// CHECK: [[LOOP:\.LBB[0-9_]+]]:
// CHECK: v_mfma_f32_16x16x16_bf16 [[ACC:v\[[0-9:]+\]]], {{.*}}, [[ACC]]
// CHECK-NOT: v_mfma
// CHECK: s_cbranch_{{.*}} [[LOOP]]
// CHECK-NOT: v_accvgpr
// CHECK: s_endpgm
// CHECK: .agpr_count: 0

// NAME: unknown target 'gfx9'
gpu.module @product {
  gpu.func @product(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %steps: i32) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %thread = gpu.thread_id x
    %lane = arith.index_cast %thread : index to i64
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum = scf.for %step = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (vector<4xf32>) : i32 {
      %wide = arith.extui %step : i32 to i64
      %c64 = arith.constant 64 : i64
      %first = arith.muli %wide, %c64 : i64
      %i = arith.addi %first, %lane : i64
      %pa = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xi16>
      %pb = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xi16>
      %va = llvm.load %pa : !llvm.ptr<1> -> vector<4xi16>
      %vb = llvm.load %pb : !llvm.ptr<1> -> vector<4xi16>
      %next = rocdl.mfma.f32.16x16x16bf16.1k %va, %vb, %acc, %c0, %c0, %c0
          : (vector<4xi16>, vector<4xi16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
      scf.yield %next : vector<4xf32>
    }
    %pc = llvm.getelementptr %c[%lane] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xf32>
    llvm.store %sum, %pc : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }
}
