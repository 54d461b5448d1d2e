"""Prints gate_up.mlir with SiLU replaced by tanh-GELU, as an author would.

gelu(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
"""
import sys

text = open(sys.argv[1]).read()
silu = "  %act = moe.silu %gate : f32\n"
assert silu in text, "the stage no longer has the line that this replaces"
gelu = """\
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %cubic = arith.constant 0.044715 : f32
  %scale = arith.constant 0.7978845608 : f32
  %square = arith.mulf %gate, %gate : f32
  %cube = arith.mulf %square, %gate : f32
  %part = arith.mulf %cube, %cubic : f32
  %sum = arith.addf %gate, %part : f32
  %inner = arith.mulf %sum, %scale : f32
  %tanh = math.tanh %inner : f32
  %factor = arith.addf %tanh, %one : f32
  %halved = arith.mulf %gate, %half : f32
  %act = arith.mulf %halved, %factor : f32
"""
print(text.replace(silu, gelu), end="")
