// Second stage: h . Wdown times the router's weight (f32, applied once here),
// summed over a token's experts.

!h = !moe.rows<pair x I x bf16>
!w = !moe.experts<E x H x I, #moe.quant<i4, scale = bf16>>
!r = !moe.routing<K of E>
!y = !moe.rows<token x H x bf16>

moe.stage @down(%h: !h, %w: !w, %r: !r) -> !y {
  %z = moe.contract %h, %w by %r : !h, !w, !r -> f32
  %p = moe.router_weight %r : !r
  %y = arith.mulf %z, %p : f32
  moe.yield %y : f32
}
