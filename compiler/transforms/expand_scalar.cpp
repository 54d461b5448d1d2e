// Scalar operations of the moe dialect as arith and math.

#include "compiler/transforms/expand_scalar.h"

#include "dialects/moe/Moe.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;

namespace moec {

namespace {

/// f32 arithmetic at one place.
struct Scalar {
  OpBuilder &b;
  Location loc;

  Value constant(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(value)));
  }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }

  /// x / (1 + exp(-t)).
  Value gate(Value x, Value t) {
    auto fast = arith::FastMathFlags::afn | arith::FastMathFlags::arcp;
    Value e = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, t), fast);
    return arith::DivFOp::create(b, loc, x, add(constant(1), e), fast);
  }

  /// x/2 (1 + tanh u) = x / (1 + exp(-2u)), u = sqrt(2/pi) (x + 0.044715 x^3).
  Value geluTanh(Value x) {
    double c = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    Value cubic = add(constant(c), mul(constant(c * 0.044715), mul(x, x)));
    return gate(x, mul(x, cubic));
  }

  Value geluErf(Value x) {
    Value erf = math::ErfOp::create(b, loc, mul(x, constant(1 / std::numbers::sqrt2)));
    return mul(mul(x, constant(0.5)), add(constant(1), erf));
  }
};

} // namespace

void cloneScalar(OpBuilder &builder, Operation &op, IRMapping &mapping) {
  Scalar scalar{builder, op.getLoc()};
  if (auto silu = dyn_cast<moe::SiluOp>(op)) {
    Value x = mapping.lookup(silu.getOperand());
    mapping.map(silu.getResult(), scalar.gate(x, x));
  } else if (auto gelu = dyn_cast<moe::GeluOp>(op)) {
    Value x = mapping.lookup(gelu.getOperand());
    mapping.map(gelu.getResult(), gelu.getForm() == moe::GeluForm::tanh
                                      ? scalar.geluTanh(x)
                                      : scalar.geluErf(x));
  } else {
    builder.clone(op, mapping);
  }
}

} // namespace moec
