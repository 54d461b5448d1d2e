// What an edited tile program may not hold is refused at its place.
// RUN: %exits 4 moec compile %s --target=gfx942 --emit=asm 2>&1 | FileCheck %s

!x = !moe.rows<pair x 128 x bf16>
!r = !moe.routing<2 of 8>
tile.program @p(%r: !r, %x: !x)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16,
      block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %mb = tile.block_id m
  %rows, %expert = tile.rows %r[%mb] : !r
  // CHECK: refused.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: `vector.broadcast` is not allowed in a tile.program; use tile operations, scf.for and arith on index
  %v = vector.broadcast %mb : index to vector<4xindex>
  tile.return
}
