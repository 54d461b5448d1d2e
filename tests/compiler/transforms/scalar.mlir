// Activations in the tile program are plain f32 arithmetic; the stage's own
// operations pass through unchanged.
// RUN: moec compile %s --target=gfx942 --emit=tile --problem=%S/Inputs/k256.json | FileCheck %s

!x = !moe.rows<token x H x bf16>
!w = !moe.experts<E x I x H, #moe.quant<i4, scale = bf16>>
!r = !moe.routing<K of E>
!y = !moe.rows<pair x I x bf16>
moe.stage @scalar(%x: !x, %w: !w, %r: !r) -> !y {
  %z = moe.contract %x, %w by %r : !x, !w, !r -> f32
  // silu z = z / (1 + exp(-z))
  // CHECK: tile.map (%[[Z:.*]] = %{{.*}}) : (!acc) -> !acc {
  // CHECK-NEXT: %[[N:.*]] = arith.negf %[[Z]] : f32
  // CHECK-NEXT: %[[E:.*]] = math.exp %[[N]] fastmath<arcp,afn> : f32
  // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK-NEXT: %[[D:.*]] = arith.addf %[[ONE]], %[[E]] : f32
  // CHECK-NEXT: %[[S:.*]] = arith.divf %[[Z]], %[[D]] fastmath<arcp,afn> : f32
  %s = moe.silu %z : f32
  // 2 sqrt(2/pi) = 1.5957691, times 0.044715 = 0.0713548
  // CHECK: arith.constant 1.59576917 : f32
  // CHECK: arith.constant 0.0713548139 : f32
  %t = moe.gelu tanh %s : f32
  // CHECK: math.erf
  %e = moe.gelu erf %t : f32
  // CHECK: arith.maximumf
  %zero = arith.constant 0.0 : f32
  %m = arith.maximumf %e, %zero : f32
  // CHECK: tile.yield
  moe.yield %m : f32
}
