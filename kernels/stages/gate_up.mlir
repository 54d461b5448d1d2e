// First stage of a gated layer: silu(x . Wgate) * (x . Wup), one row a pair.

!x = !moe.rows<token x H x bf16>
!w = !moe.experts<E x 2*I x H, #moe.quant<i4, scale = bf16>>
!r = !moe.routing<K of E>
!h = !moe.rows<pair x I x bf16>

moe.stage @gate_up(%x: !x, %w: !w, %r: !r) -> !h {
  %gate, %up = moe.contract %x, %w by %r : !x, !w, !r -> f32, f32
  %act = moe.silu %gate : f32
  %y = arith.mulf %act, %up : f32
  moe.yield %y : f32
}
