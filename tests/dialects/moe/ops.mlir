// Every operation, type and attribute of the moe dialect prints, parses back
// to the same text, and survives the generic form and bytecode.
// RUN: moec-opt %s | moec-opt | FileCheck %s
// RUN: moec-opt --mlir-print-op-generic %s | moec-opt | FileCheck %s
// RUN: moec-opt --emit-bytecode %s -o %t.mlirbc && moec-opt %t.mlirbc | FileCheck %s

// CHECK-DAG: !x = !moe.rows<token x H x bf16>
!x = !moe.rows<token x H x bf16>
// CHECK-DAG: !w = !moe.experts<E x 2*I x H, #moe.quant<i4, scale = bf16>>
!w13 = !moe.experts<E x 2*I x H, #moe.quant<i4, scale = bf16>>
// CHECK-DAG: !w1 = !moe.experts<E x H x I, #moe.quant<i4, group = 128, scale = f16>>
!w2 = !moe.experts<E x H x I, #moe.quant<i4, group = 128, scale = f16>>
// CHECK-DAG: !r = !moe.routing<K of E>
!r = !moe.routing<K of E>
// CHECK-DAG: !x1 = !moe.rows<pair x I x bf16>
!h = !moe.rows<pair x I x bf16>

// CHECK: moe.stage @gate_up(%x: !x, %w: !w, %r: !r) -> !x1 {
moe.stage @gate_up(%x: !x, %w: !w13, %r: !r) -> !h {
  // CHECK-NEXT: %[[P:.*]]:2 = moe.contract %x, %w by %r : !x, !w, !r -> f32, f32
  %gate, %up = moe.contract %x, %w by %r : !x, !w13, !r -> f32, f32
  // CHECK-NEXT: moe.silu %[[P]]#0 : f32
  %s = moe.silu %gate : f32
  // CHECK-NEXT: moe.gelu tanh %[[P]]#1 : f32
  %t = moe.gelu tanh %up : f32
  // CHECK-NEXT: moe.gelu erf
  %e = moe.gelu erf %up : f32
  // CHECK-NEXT: arith.mulf
  %y = arith.mulf %s, %t : f32
  %z = arith.addf %y, %e : f32
  // CHECK: moe.yield %{{.*}} : f32
  moe.yield %z : f32
}

// CHECK: moe.stage @down
moe.stage @down(%h: !h, %w: !w2, %r: !r) -> !x {
  %z = moe.contract %h, %w by %r : !h, !w2, !r -> f32
  // CHECK: moe.router_weight %r : !r
  %p = moe.router_weight %r : !r
  %y = arith.mulf %z, %p : f32
  moe.yield %y : f32
}

// CHECK: moe.layer @layer(%x: !x {moe.tensor = "x"}, %choice: !choice {moe.tensor = "topk"}
// CHECK-SAME: attributes {serves = {weights = "int4"}}
moe.layer @layer(%x: !x {moe.tensor = "x"},
                 %choice: !moe.topk<K of E> {moe.tensor = "topk"},
                 %w13: !w13 {moe.tensor = "w13"},
                 %w2: !w2 {moe.tensor = "w2"}) -> !x
    attributes {serves = {weights = "int4"}} {
  // CHECK: moe.route %choice : !choice -> !r
  %r = moe.route %choice : !moe.topk<K of E> -> !r
  // CHECK: moe.apply @gate_up(%x, %w) by %{{.*}} : !x, !w, !r -> !x1
  %h = moe.apply @gate_up(%x, %w13) by %r : !x, !w13, !r -> !h
  // CHECK: moe.apply @down
  %y = moe.apply @down(%h, %w2) by %r : !h, !w2, !r -> !x
  // CHECK: moe.return %{{.*}} : !x
  moe.return %y : !x
}

// A bound size is a number.
// CHECK: bound = #moe.dim<256>, factor = #moe.dim<2*I>
module attributes {test.sizes = {bound = #moe.dim<256>, factor = #moe.dim<2*I>}} {}
