// Attributes of a gpu.func reach the LLVM function, and from there the code
// object: waves per SIMD bound the registers, passthrough goes by as it is.
//
// RUN: moec compile %s --target=gfx942 --emit=llvm | FileCheck %s
// RUN: moec compile %s --target=gfx942 --emit=llvm > %t.mlir
// RUN: moec compile %t.mlir --target=gfx942 --emit=hsaco -o %t.hsaco
// RUN: llvm-readelf-22 --notes %t.hsaco | FileCheck %s --check-prefix=NOTE

// CHECK: llvm.func @kept
// CHECK-SAME: passthrough = {{\[\["amdgpu-agpr-alloc", "0"\]\]}}
// CHECK-SAME: rocdl.flat_work_group_size = "128,128"
// CHECK-SAME: rocdl.waves_per_eu = 2 : i32

// NOTE: .max_flat_workgroup_size: 128
// NOTE: .reqd_workgroup_size:
// NOTE-NEXT: - 128
gpu.module @kept {
  gpu.func @kept(%p: !llvm.ptr<1> {llvm.noalias}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>,
                  passthrough = [["amdgpu-agpr-alloc", "0"]],
                  rocdl.flat_work_group_size = "128,128",
                  rocdl.waves_per_eu = 2 : i32} {
    gpu.return
  }
}
