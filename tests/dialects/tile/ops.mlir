// Every operation and type of the tile dialect prints, parses back to the same
// text, and survives the generic form and bytecode.
// RUN: moec-opt %s | moec-opt | FileCheck %s
// RUN: moec-opt --mlir-print-op-generic %s | moec-opt | FileCheck %s
// RUN: moec-opt --emit-bytecode %s -o %t.mlirbc && moec-opt %t.mlirbc | FileCheck %s

!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>

// CHECK: tile.program @all(%x: !x, %w: !w, %r: !r, %x_0: !x1) attributes {schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>, target = "gfx942"}
tile.program @all(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16,
      block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  // CHECK: %mb = tile.block_id m
  %mb = tile.block_id m
  // CHECK: %nb = tile.block_id n
  %nb = tile.block_id n
  // CHECK: %wave = tile.wave_id
  %wave = tile.wave_id
  // CHECK: %rows, %expert = tile.rows %r[%mb] : !r
  %rows, %expert = tile.rows %route[%mb] : !r
  // CHECK: %lds = tile.alloc : !lds
  %lds = tile.alloc : !lds
  // CHECK: %staged = tile.fetch %x[%rows, %c0] : !x -> !staged
  %staged = tile.fetch %x[%rows, %c0] : !x -> !staged
  // CHECK: %b = tile.load %w[%expert, 0, %nb, %c0] : !w -> !b
  %b = tile.load %w[%expert, 0, %nb, %c0] : !w -> !b
  // CHECK: %scale = tile.load_scale %w[%expert, 0, %nb, %c0] : !w -> !scale
  %s = tile.load_scale %w[%expert, 0, %nb, %c0] : !w -> !s
  // CHECK: tile.issue
  tile.issue
  // CHECK: tile.put %staged, %lds[%c0] : !staged, !lds
  tile.put %staged, %lds[%c0] : !staged, !lds
  // CHECK: tile.barrier
  tile.barrier
  // CHECK: %a = tile.read %lds[%c0] : !lds -> !a
  %a = tile.read %lds[%c0] : !lds -> !a
  // CHECK: %acc = tile.zero : !acc
  %zero = tile.zero : !acc
  // CHECK: %offset = tile.offset %a {group = 32 : i64} : !a -> !offset
  %o = tile.offset %a {group = 32} : !a -> !o
  // CHECK: %[[M:.*]] = tile.mma %a, %b, %acc scaled %scale offset %offset {group = 32 : i64} : !a, !b, !scale, !offset -> !acc
  %m = tile.mma %a, %b, %zero scaled %s offset %o {group = 32} : !a, !b, !s, !o -> !acc
  // CHECK: %[[P:.*]] = tile.router_weight %rows : !acc
  %p = tile.router_weight %rows : !acc
  // CHECK: tile.map (%{{.*}} = %[[M]], %{{.*}} = %[[P]]) : (!acc, !acc) -> !acc {
  %y = tile.map (%v = %m, %q = %p) : (!acc, !acc) -> !acc {
    %0 = arith.mulf %v, %q : f32
    // CHECK: tile.yield %{{.*}} : f32
    tile.yield %0 : f32
  }
  // CHECK: tile.store %{{.*}}, %x_0[%rows, %nb] : !acc, !x1
  tile.store %y, %out[%rows, %nb] : !acc, !out
  // CHECK: tile.return
  tile.return
}
