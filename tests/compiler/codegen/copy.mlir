// A kernel with a scalar argument: addresses in i64 from !llvm.ptr<1>, block
// size and argument sizes in the metadata of the code object.
//
// RUN: moec compile %s --target=gfx942 --emit=asm | FileCheck %s
// RUN: moec compile %s --target=gfx942 --emit=hsaco -o %t.hsaco
// RUN: llvm-readelf-22 --notes %t.hsaco | FileCheck %s --check-prefix=NOTE

// CHECK: .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
// CHECK: .amdhsa_code_object_version 5
// CHECK-LABEL: copy:
// CHECK: global_load_dword
// CHECK: global_store_dword
// CHECK: s_endpgm

// Two pointers of 8 bytes and one i32: 20 bytes.
// NOTE: .kernarg_segment_size: 20
// NOTE: .max_flat_workgroup_size: 256
// NOTE: .private_segment_fixed_size: 0
// NOTE: .reqd_workgroup_size:
// NOTE-NEXT: - 256
// NOTE-NEXT: - 1
// NOTE-NEXT: - 1
// NOTE: .vgpr_spill_count: 0
gpu.module @copy {
  gpu.func @copy(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>, %count: i32) kernel
      attributes {arg_names = ["from", "to", "count"],
                  known_block_size = array<i32: 256, 1, 1>} {
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %c256 = arith.constant 256 : index
    %first = arith.muli %block, %c256 : index
    %index = arith.addi %first, %thread : index
    %i = arith.index_cast %index : index to i32
    %inside = arith.cmpi ult, %i, %count : i32
    scf.if %inside {
      %wide = arith.extui %i : i32 to i64
      %source = llvm.getelementptr %from[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %value = llvm.load %source : !llvm.ptr<1> -> f32
      %target = llvm.getelementptr %to[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      llvm.store %value, %target : f32, !llvm.ptr<1>
    }
    gpu.return
  }
}
