// No math op needs a device library: each is expanded to arithmetic or to an
// intrinsic that the backend selects. Accuracy is checked in expand_math_test.cpp.
//
// RUN: moec compile %s --target=gfx942 --emit=asm | FileCheck %s
// RUN: moec compile %s --target=gfx942 --emit=llvm | FileCheck %s --check-prefix=LLVM

// LLVM-NOT: __ocml
// CHECK-LABEL: math:
// CHECK-NOT: s_swappc
// CHECK: v_exp_f32
// CHECK: v_log_f32
// CHECK: v_sqrt_f32
// CHECK: s_endpgm
gpu.module @math {
  gpu.func @math(%p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %x = llvm.load volatile %p : !llvm.ptr<1> -> f32
    %y = llvm.load volatile %p : !llvm.ptr<1> -> f32
    %v = llvm.load volatile %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    %h = llvm.load volatile %p : !llvm.ptr<1> -> bf16
    %0 = math.exp %x : f32
    %1 = math.exp2 %x : f32
    %2 = math.log %x : f32
    %3 = math.log2 %x : f32
    %4 = math.log10 %x : f32
    %5 = math.log1p %x : f32
    %6 = math.expm1 %x : f32
    %7 = math.sqrt %x : f32
    %8 = math.rsqrt %x : f32
    %9 = math.tanh %x : f32
    %10 = math.erf %x : f32
    %11 = math.sin %x : f32
    %12 = math.cos %x : f32
    %13 = math.powf %x, %y : f32
    %14 = math.fma %x, %y, %x : f32
    %15 = math.absf %x : f32
    %16 = math.floor %x : f32
    %17 = math.ceil %x : f32
    %18 = math.round %x : f32
    %19 = math.roundeven %x : f32
    %20 = math.trunc %x : f32
    %21 = math.copysign %x, %y : f32
    %22 = arith.maximumf %x, %y : f32
    %23 = arith.divf %x, %y : f32
    llvm.store volatile %0, %p : f32, !llvm.ptr<1>
    llvm.store volatile %1, %p : f32, !llvm.ptr<1>
    llvm.store volatile %2, %p : f32, !llvm.ptr<1>
    llvm.store volatile %3, %p : f32, !llvm.ptr<1>
    llvm.store volatile %4, %p : f32, !llvm.ptr<1>
    llvm.store volatile %5, %p : f32, !llvm.ptr<1>
    llvm.store volatile %6, %p : f32, !llvm.ptr<1>
    llvm.store volatile %7, %p : f32, !llvm.ptr<1>
    llvm.store volatile %8, %p : f32, !llvm.ptr<1>
    llvm.store volatile %9, %p : f32, !llvm.ptr<1>
    llvm.store volatile %10, %p : f32, !llvm.ptr<1>
    llvm.store volatile %11, %p : f32, !llvm.ptr<1>
    llvm.store volatile %12, %p : f32, !llvm.ptr<1>
    llvm.store volatile %13, %p : f32, !llvm.ptr<1>
    llvm.store volatile %14, %p : f32, !llvm.ptr<1>
    llvm.store volatile %15, %p : f32, !llvm.ptr<1>
    llvm.store volatile %16, %p : f32, !llvm.ptr<1>
    llvm.store volatile %17, %p : f32, !llvm.ptr<1>
    llvm.store volatile %18, %p : f32, !llvm.ptr<1>
    llvm.store volatile %19, %p : f32, !llvm.ptr<1>
    llvm.store volatile %20, %p : f32, !llvm.ptr<1>
    llvm.store volatile %21, %p : f32, !llvm.ptr<1>
    llvm.store volatile %22, %p : f32, !llvm.ptr<1>
    llvm.store volatile %23, %p : f32, !llvm.ptr<1>
    %24 = math.tanh %v : vector<4xf32>
    %25 = math.exp2 %v : vector<4xf32>
    %26 = arith.mulf %24, %25 : vector<4xf32>
    llvm.store volatile %26, %p : vector<4xf32>, !llvm.ptr<1>
    %27 = math.tanh %h : bf16
    %28 = math.exp %h : bf16
    %29 = arith.addf %27, %28 : bf16
    llvm.store volatile %29, %p : bf16, !llvm.ptr<1>
    gpu.return
  }
}
