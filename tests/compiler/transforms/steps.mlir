// How a contraction is cut into steps, for every relation of K to block_k and
// prefetch: K = 160 is one short step; 256 one whole; 352 = 256 + 96; 1280
// takes two trips of two steps and leaves one.
// RUN: moec compile %s --target=gfx942 --emit=tile --problem=%S/Inputs/k160.json | FileCheck %s --check-prefix=SHORT
// RUN: moec compile %s --target=gfx942 --emit=tile --problem=%S/Inputs/k256.json | FileCheck %s --check-prefix=ONE
// RUN: moec compile %s --target=gfx942 --emit=tile --problem=%S/Inputs/k352.json | FileCheck %s --check-prefix=TAIL
// RUN: moec compile %s --target=gfx942 --emit=tile --problem=%S/Inputs/k1280.json | FileCheck %s --check-prefix=LOOP

// SHORT: !a = !tile.frag<16 x 160 x bf16, a>
// SHORT: !lds = !tile.lds<2 x 16 x 160 x bf16>
// SHORT-NOT: scf.for
// SHORT: tile.mma
// SHORT-NOT: tile.mma
// SHORT: tile.store

// ONE: !a = !tile.frag<16 x 256 x bf16, a>
// ONE-NOT: scf.for
// ONE: tile.mma
// ONE-NOT: tile.mma
// ONE: tile.store

// Both steps are loaded before the first is computed; the second is short.
// TAIL: tile.fetch {{.*}} -> !staged
// TAIL: tile.fetch {{.*}} -> !staged1
// TAIL: tile.put
// TAIL: tile.barrier
// TAIL: tile.mma
// TAIL: tile.put
// TAIL: tile.barrier
// TAIL: tile.mma

// A trip: compute, load two steps ahead, hand over the next; twice.
// LOOP: scf.for %{{.*}} = %c0 to %c1024 step %c512
// LOOP-NEXT: arith.addi
// LOOP-NEXT: tile.read %lds[%c0]
// LOOP-NEXT: tile.offset
// LOOP-NEXT: tile.mma
// LOOP-NEXT: tile.issue
// LOOP-NEXT: tile.fetch
// LOOP-NEXT: tile.load
// LOOP-NEXT: tile.load_scale
// LOOP-NEXT: tile.issue
// LOOP-NEXT: tile.put %{{.*}}, %lds[%c1]
// LOOP-NEXT: tile.barrier
// LOOP-NEXT: arith.addi
// LOOP-NEXT: tile.read %lds[%c1]
// LOOP: scf.yield
// LOOP: tile.mma
// LOOP-NOT: tile.mma
// LOOP: tile.store

!x = !moe.rows<token x H x bf16>
!w = !moe.experts<E x I x H, #moe.quant<i4, scale = bf16>>
!r = !moe.routing<K of E>
!y = !moe.rows<pair x I x bf16>
moe.stage @plain(%x: !x, %w: !w, %r: !r) -> !y {
  %z = moe.contract %x, %w by %r : !x, !w, !r -> f32
  moe.yield %z : f32
}
