// Gated SiLU layer with int4 weights and bf16 activations (Kimi-K2, Qwen3,
// Mixtral). Stages that a layer names and a file does not define are those of
// kernels/stages.

!x = !moe.rows<token x H x bf16>
!w13 = !moe.experts<E x 2*I x H, #moe.quant<i4, scale = bf16>>
!w2 = !moe.experts<E x H x I, #moe.quant<i4, scale = bf16>>
!h = !moe.rows<pair x I x bf16>
!r = !moe.routing<K of E>

moe.layer @int4_silu(%x: !x {moe.tensor = "x"},
                     %choice: !moe.topk<K of E> {moe.tensor = "topk"},
                     %w13: !w13 {moe.tensor = "w13"},
                     %w2: !w2 {moe.tensor = "w2"}) -> !x
    attributes {serves = {act_dtype = "bf16", act_fn = "silu", weights = "int4"}} {
  %r = moe.route %choice : !moe.topk<K of E> -> !r
  %h = moe.apply @gate_up(%x, %w13) by %r : !x, !w13, !r -> !h
  %y = moe.apply @down(%h, %w2) by %r : !h, !w2, !r -> !x
  moe.return %y : !x
}
