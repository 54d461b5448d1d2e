// What the backend would abort on is refused before it runs, at its place.
//
// RUN: moec-opt %s -split-input-file -verify-diagnostics -rocdl-to-llvm -o /dev/null

gpu.module @chip {
  gpu.func @chip(%a: vector<8xbf16>, %p: !llvm.ptr<1>) {
    %c = arith.constant dense<0.0> : vector<4xf32>
    %c0 = arith.constant 0 : i32
    // expected-error @below {{'rocdl.mfma.f32.16x16x32.bf16' is not an instruction of gfx942}}
    %d = rocdl.mfma.f32.16x16x32.bf16 %a, %a, %c, %c0, %c0, %c0
        : (vector<8xbf16>, vector<8xbf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @argument {
  // expected-error @below {{kernel argument 1 has type 'memref<?xf32>'; expected !llvm.ptr<1>, i32, i64 or f32}}
  gpu.func @argument(%p: !llvm.ptr<1>, %m: memref<?xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @math {
  gpu.func @math(%x: f32, %p: !llvm.ptr<1>) kernel {
    // expected-error @below {{'math.atan' on 'f32' has no lowering without a device library}}
    %y = math.atan %x : f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

gpu.module @library {
  llvm.func @__ockl_clock() -> i64
  gpu.func @library(%p: !llvm.ptr<1>) kernel {
    // expected-error @below {{call of '__ockl_clock', which has no definition: no device library is linked}}
    %t = llvm.call @__ockl_clock() : () -> i64
    llvm.store %t, %p : i64, !llvm.ptr<1>
    gpu.return
  }
}

// -----

gpu.module @grid {
  gpu.func @grid(%p: !llvm.ptr<1>) kernel {
    // expected-error @below {{'rocdl.grid.dim.x' is not available: give the kernel a known_block_size, and pass grid sizes as arguments}}
    %blocks = gpu.grid_dim x
    %n = arith.index_cast %blocks : index to i32
    llvm.store %n, %p : i32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// expected-error @below {{expected one gpu.module with the kernels of one code object, found 2}}
module {
  gpu.module @one {}
  gpu.module @two {}
}
