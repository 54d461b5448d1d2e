// One negative test for each constraint of the moe dialect, named after its id.
// RUN: moec-opt %s -split-input-file -verify-diagnostics -o /dev/null

// dim-range
// expected-error@+1 {{(dim-range) a size is 1 to 2147483647, found 0}}
module attributes {test.size = #moe.dim<0>} {}

// -----
// dim syntax
// expected-error@+1 {{expected a size: a number, a symbol such as `I`, or a multiple such as `2*I`}}
module attributes {test.size = #moe.dim<"x">} {}

// -----
// quant-group
// expected-error@+1 {{(quant-group) a group is a multiple of 32, found 48}}
module attributes {test.format = #moe.quant<i4, group = 48, scale = bf16>} {}

// -----
// rows syntax
// expected-error@+1 {{expected `token` or `pair` as the rows of a matrix, found `expert`}}
func.func private @f(!moe.rows<expert x H x bf16>)

// -----
// stage-operands
// expected-error@+1 {{(stage-operands) argument 0 must be !moe.rows, !moe.experts or !moe.routing, found 'f32'}}
moe.stage @s(%x: f32) -> !moe.rows<pair x I x bf16> {
  %c = arith.constant 0.0 : f32
  moe.yield %c : f32
}

// -----
// stage-operands: the result
// expected-error@+1 {{(stage-operands) must have one result of type !moe.rows}}
moe.stage @s(%r: !moe.routing<K of E>) -> f32 {
  %c = arith.constant 0.0 : f32
  moe.yield %c : f32
}

// -----
// stage-contract
// expected-error@+1 {{(stage-contract) must have exactly one moe.contract, found 0}}
moe.stage @s(%r: !moe.routing<K of E>) -> !moe.rows<pair x I x bf16> {
  %p = moe.router_weight %r : !moe.routing<K of E>
  moe.yield %p : f32
}

// -----
// stage-scalar: dialect
!x = !moe.rows<token x H x bf16>
!w = !moe.experts<E x I x H, #moe.quant<i4, scale = bf16>>
!r = !moe.routing<K of E>
moe.stage @s(%x: !x, %w: !w, %r: !r) -> !moe.rows<pair x I x bf16> {
  %z = moe.contract %x, %w by %r : !x, !w, !r -> f32
  // expected-error@+1 {{(stage-scalar) is not allowed in a stage; use arith, math and moe scalar operations}}
  %b = vector.broadcast %z : f32 to vector<4xf32>
  moe.yield %z : f32
}

// -----
// stage-scalar: type
!x = !moe.rows<token x H x bf16>
!w = !moe.experts<E x I x H, #moe.quant<i4, scale = bf16>>
!r = !moe.routing<K of E>
moe.stage @s(%x: !x, %w: !w, %r: !r) -> !moe.rows<pair x I x bf16> {
  %z = moe.contract %x, %w by %r : !x, !w, !r -> f32
  // expected-error@+1 {{(stage-scalar) must give f32 or i1 scalars, found 'f64'}}
  %b = arith.extf %z : f32 to f64
  moe.yield %z : f32
}

// -----
// contract-depth
!x = !moe.rows<token x H x bf16>
!w = !moe.experts<E x I x I, #moe.quant<i4, scale = bf16>>
!r = !moe.routing<K of E>
moe.stage @s(%x: !x, %w: !w, %r: !r) -> !moe.rows<pair x I x bf16> {
  // expected-error@+1 {{(contract-depth) contracts H columns of x with a depth of I of the weights: they must be equal}}
  %z = moe.contract %x, %w by %r : !x, !w, !r -> f32
  moe.yield %z : f32
}

// -----
// contract-channels
!x = !moe.rows<token x H x bf16>
!w = !moe.experts<E x 2*I x H, #moe.quant<i4, scale = bf16>>
!r = !moe.routing<K of E>
moe.stage @s(%x: !x, %w: !w, %r: !r) -> !moe.rows<pair x I x bf16> {
  // expected-error@+1 {{(contract-channels) with 1 result(s) and I columns in the stage's result the weights must have I channels, found 2*I}}
  %z = moe.contract %x, %w by %r : !x, !w, !r -> f32
  moe.yield %z : f32
}

// -----
// contract-routing
!x = !moe.rows<token x H x bf16>
!w = !moe.experts<E x I x H, #moe.quant<i4, scale = bf16>>
!r = !moe.routing<K of 8>
moe.stage @s(%x: !x, %w: !w, %r: !r) -> !moe.rows<pair x I x bf16> {
  // expected-error@+1 {{(contract-routing) routing is over 8 experts and the weights have E}}
  %z = moe.contract %x, %w by %r : !x, !w, !r -> f32
  moe.yield %z : f32
}

// -----
// layer-operands
// expected-error@+1 {{(layer-operands) argument 0 must be !moe.rows, !moe.topk or !moe.experts, found '!moe.routing<K of E>'}}
moe.layer @l(%r: !moe.routing<K of E>, %x: !moe.rows<token x H x bf16>) -> !moe.rows<token x H x bf16> {
  moe.return %x : !moe.rows<token x H x bf16>
}

// -----
// layer-tensor: a missing name
// expected-error@+1 {{(layer-tensor) argument 0 needs a name: {moe.tensor = "..."}}}
moe.layer @l(%x: !moe.rows<token x H x bf16>) -> !moe.rows<token x H x bf16> {
  moe.return %x : !moe.rows<token x H x bf16>
}

// -----
// layer-tensor: a name twice
!x = !moe.rows<token x H x bf16>
// expected-error@+1 {{(layer-tensor) two arguments are named "x"}}
moe.layer @l(%x: !x {moe.tensor = "x"}, %y: !x {moe.tensor = "x"}) -> !x {
  moe.return %x : !x
}

// -----
// route-sizes
!x = !moe.rows<token x H x bf16>
moe.layer @l(%x: !x {moe.tensor = "x"}, %c: !moe.topk<K of E> {moe.tensor = "topk"}) -> !x {
  // expected-error@+1 {{(route-sizes) sorts '!moe.topk<K of E>' into '!moe.routing<8 of E>': slots and experts must agree}}
  %r = moe.route %c : !moe.topk<K of E> -> !moe.routing<8 of E>
  moe.return %x : !x
}

// -----
// apply-stage
!x = !moe.rows<token x H x bf16>
!w = !moe.experts<E x H x H, #moe.quant<i4, scale = bf16>>
!r = !moe.routing<K of E>
moe.layer @l(%x: !x {moe.tensor = "x"}, %c: !moe.topk<K of E> {moe.tensor = "topk"},
             %w: !w {moe.tensor = "w"}) -> !x {
  %r = moe.route %c : !moe.topk<K of E> -> !r
  // expected-error@+1 {{(apply-stage) "nothing" is not a moe.stage of this module}}
  %y = moe.apply @nothing(%x, %w) by %r : !x, !w, !r -> !x
  moe.return %y : !x
}

// -----
// apply-types
!x = !moe.rows<token x H x bf16>
!p = !moe.rows<pair x H x bf16>
!w = !moe.experts<E x H x H, #moe.quant<i4, scale = bf16>>
!r = !moe.routing<K of E>
// expected-note@+1 {{the stage is here}}
moe.stage @s(%x: !x, %w: !w, %r: !r) -> !p {
  %z = moe.contract %x, %w by %r : !x, !w, !r -> f32
  moe.yield %z : f32
}
moe.layer @l(%x: !x {moe.tensor = "x"}, %c: !moe.topk<K of E> {moe.tensor = "topk"},
             %w: !w {moe.tensor = "w"}) -> !x {
  %r = moe.route %c : !moe.topk<K of E> -> !r
  // expected-error@+1 {{(apply-types) operands and result differ from those of stage "s"}}
  %y = moe.apply @s(%x, %w) by %r : !x, !w, !r -> !x
  moe.return %y : !x
}

// -----
// return-type
!x = !moe.rows<token x H x bf16>
moe.layer @l(%x: !x {moe.tensor = "x"}) -> !moe.rows<pair x H x bf16> {
  // expected-error@+1 {{(return-type) returns '!moe.rows<token x H x bf16>' from a layer of result '!moe.rows<pair x H x bf16>'}}
  moe.return %x : !x
}
