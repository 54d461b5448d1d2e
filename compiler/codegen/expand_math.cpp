// Rewrites of math ops into arithmetic and LLVM intrinsics; see expand_math.h.

#include "compiler/codegen/expand_math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace {

/// How a math op reaches the backend.
enum class Route {
  Kept,      ///< Upstream's conversion gives an intrinsic that selects.
  Intrinsic, ///< Rewritten here to the intrinsic of the same meaning.
  Expanded,  ///< Rewritten here to arithmetic.
};

struct MathEntry {
  StringLiteral op;
  Route route;
  StringLiteral intrinsic; ///< Route::Intrinsic only.
};

constexpr MathEntry mathTable[] = {
    {"math.absf", Route::Kept, ""},
    {"math.absi", Route::Kept, ""},
    {"math.ceil", Route::Intrinsic, "llvm.ceil"},
    {"math.clampf", Route::Kept, ""},
    {"math.copysign", Route::Kept, ""},
    {"math.cos", Route::Expanded, ""},
    {"math.ctlz", Route::Kept, ""},
    {"math.ctpop", Route::Kept, ""},
    {"math.cttz", Route::Kept, ""},
    {"math.erf", Route::Expanded, ""},
    {"math.exp", Route::Kept, ""},
    {"math.exp2", Route::Intrinsic, "llvm.exp2"},
    {"math.expm1", Route::Expanded, ""},
    {"math.floor", Route::Intrinsic, "llvm.floor"},
    {"math.fma", Route::Kept, ""},
    {"math.fpowi", Route::Expanded, ""},
    {"math.isfinite", Route::Kept, ""},
    {"math.isinf", Route::Kept, ""},
    {"math.isnan", Route::Kept, ""},
    {"math.isnormal", Route::Kept, ""},
    {"math.log", Route::Kept, ""},
    {"math.log10", Route::Intrinsic, "llvm.log10"},
    {"math.log1p", Route::Expanded, ""},
    {"math.log2", Route::Intrinsic, "llvm.log2"},
    {"math.powf", Route::Expanded, ""},
    {"math.round", Route::Kept, ""},
    {"math.roundeven", Route::Kept, ""},
    {"math.rsqrt", Route::Expanded, ""},
    {"math.sin", Route::Expanded, ""},
    {"math.sqrt", Route::Kept, ""},
    {"math.tanh", Route::Expanded, ""},
    {"math.trunc", Route::Kept, ""},
};

const MathEntry *findEntry(StringRef name) {
  for (const MathEntry &entry : mathTable)
    if (entry.op == name)
      return &entry;
  return nullptr;
}

/// Arithmetic on one element type, scalar or vector, with constants splat.
class Arithmetic {
public:
  Arithmetic(PatternRewriter &rewriter, Operation *op)
      : b(rewriter), loc(op->getLoc()), type(op->getResult(0).getType()) {}

  Value constant(double value) {
    TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, attr);
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  template <typename Op> Value unary(Value x) { return Op::create(b, loc, x); }

  PatternRewriter &b;
  Location loc;
  Type type;
};

/// Narrow floats are computed in f32 and rounded once.
struct WidenNarrow : RewritePattern {
  explicit WidenNarrow(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 2, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
        op->getNumResults() != 1)
      return failure();
    auto element =
        dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
    if (!element || element.getWidth() != 16 || isa<math::AbsFOp>(op))
      return failure();
    Location loc = op->getLoc();
    auto wide = [&](Type type) -> Type {
      if (auto shaped = dyn_cast<ShapedType>(type))
        return shaped.clone(rewriter.getF32Type());
      return rewriter.getF32Type();
    };
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      bool narrow = getElementTypeOrSelf(operand.getType()) == element;
      operands.push_back(narrow ? arith::ExtFOp::create(rewriter, loc,
                                                        wide(operand.getType()),
                                                        operand)
                                : operand);
    }
    Type type = op->getResult(0).getType();
    OperationState state(loc, op->getName(), operands, {wide(type)},
                         op->getAttrs());
    Value result = rewriter.create(state)->getResult(0);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, result);
    return success();
  }
};

/// Route::Intrinsic: the LLVM intrinsic of the same operand and type.
struct ToIntrinsic : RewritePattern {
  ToIntrinsic(MLIRContext *context, const MathEntry &entry)
      : RewritePattern(entry.op, 1, context), intrinsic(entry.intrinsic) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op->getResult(0).getType()).isF32())
      return failure();
    // Not the op of the intrinsic: upstream's conversion marks that illegal.
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op->getResult(0).getType(), rewriter.getStringAttr(intrinsic),
        op->getOperands());
    return success();
  }
  StringRef intrinsic;
};

template <typename Op> struct F32Pattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Arithmetic a(rewriter, op);
    rewriter.replaceOp(op, expand(op, a));
    return success();
  }
  virtual Value expand(Op op, Arithmetic &a) const = 0;
};

struct ExpandRsqrt : F32Pattern<math::RsqrtOp> {
  using F32Pattern::F32Pattern;
  Value expand(math::RsqrtOp op, Arithmetic &a) const override {
    return a.div(a.constant(1), a.unary<math::SqrtOp>(op.getOperand()));
  }
};

/// exp(x) - 1 = tanh(x/2) * (exp(x) + 1), which loses nothing near zero.
struct ExpandExpM1 : F32Pattern<math::ExpM1Op> {
  using F32Pattern::F32Pattern;
  Value expand(math::ExpM1Op op, Arithmetic &a) const override {
    Value x = op.getOperand();
    Value half = a.unary<math::TanhOp>(a.mul(x, a.constant(0.5)));
    return a.mul(half, a.add(a.unary<math::ExpOp>(x), a.constant(1)));
  }
};

/// log(1 + x) = log(u) * x / (u - 1) with u = 1 + x rounded: the rounding of u
/// cancels. Where u is 1 the answer is x, where it is infinite it is log(u).
struct ExpandLog1p : F32Pattern<math::Log1pOp> {
  using F32Pattern::F32Pattern;
  Value expand(math::Log1pOp op, Arithmetic &a) const override {
    using P = arith::CmpFPredicate;
    Value x = op.getOperand(), one = a.constant(1);
    Value u = a.add(x, one), logU = a.unary<math::LogOp>(u);
    Value scaled = a.mul(logU, a.div(x, a.sub(u, one)));
    Value infinite = a.compare(P::OEQ, u, a.constant(INFINITY));
    Value general = a.select(infinite, logU, scaled);
    return a.select(a.compare(P::OEQ, u, one), x, general);
  }
};

/// x^y = 2^(y log2 |x|), with the sign of an odd y and NaN for a fractional y
/// where x is negative. Small constant integers become products, which are
/// more exact: relative error of the rest grows with |y log2 x|.
struct ExpandPow : F32Pattern<math::PowFOp> {
  using F32Pattern::F32Pattern;
  Value expand(math::PowFOp op, Arithmetic &a) const override {
    Value x = op.getLhs(), y = op.getRhs();
    if (Value product = asProduct(x, y, a))
      return product;
    using P = arith::CmpFPredicate;
    Value zero = a.constant(0), one = a.constant(1);
    Value logX = a.unary<math::Log2Op>(a.unary<math::AbsFOp>(x));
    Value power = a.unary<math::Exp2Op>(a.mul(y, logX));
    Value half = a.mul(y, a.constant(0.5));
    Value whole = a.compare(P::OEQ, a.unary<math::FloorOp>(y), y);
    Value even = a.compare(P::OEQ, a.unary<math::FloorOp>(half), half);
    Value ofNegative =
        a.select(whole, a.select(even, power, a.neg(power)), a.constant(NAN));
    Value result = a.select(a.compare(P::OLT, x, zero), ofNegative, power);
    Value isOne = arith::OrIOp::create(a.b, a.loc, a.compare(P::OEQ, y, zero),
                                       a.compare(P::OEQ, x, one));
    return a.select(isOne, one, result);
  }
  static Value asProduct(Value x, Value y, Arithmetic &a) {
    APFloat exponent(0.0f);
    if (!matchPattern(y, m_ConstantFloat(&exponent)))
      return {};
    double value = exponent.convertToDouble();
    if (value != std::floor(value) || value < 1 || value > 8)
      return {};
    Value result;
    for (int n = int(value); n; n >>= 1) {
      if (n & 1)
        result = result ? a.mul(result, x) : x;
      if (n > 1)
        x = a.mul(x, x);
    }
    return result;
  }
};

struct ExpandFPowI : F32Pattern<math::FPowIOp> {
  using F32Pattern::F32Pattern;
  Value expand(math::FPowIOp op, Arithmetic &a) const override {
    Value y = arith::SIToFPOp::create(a.b, a.loc, a.type, op.getRhs());
    return math::PowFOp::create(a.b, a.loc, op.getLhs(), y);
  }
};

/// sin of r + n*pi, n a whole number (in f32), |r| <= pi/2. Taylor's terms up
/// to r^11: the next one is below 6e-8.
Value sinNearMultiple(Value r, Value n, Arithmetic &a) {
  constexpr double terms[] = {-1. / 39916800, 1. / 362880, -1. / 5040, 1. / 120,
                              -1. / 6};
  Value square = a.mul(r, r);
  Value sum = a.constant(terms[0]);
  for (double term : ArrayRef<double>(terms).drop_front())
    sum = a.fma(sum, square, a.constant(term));
  Value sine = a.fma(a.mul(sum, square), r, r);
  Value half = a.mul(n, a.constant(0.5));
  Value even =
      a.compare(arith::CmpFPredicate::OEQ, a.unary<math::FloorOp>(half), half);
  return a.select(even, sine, a.neg(sine));
}

/// x - n*pi with pi in three parts: exact enough for |x| < 1e5.
Value reduceByPi(Value x, Value n, Arithmetic &a) {
  constexpr double high = 3.140625, middle = 9.67502593994140625e-4;
  constexpr double low = std::numbers::pi - high - middle;
  Value minus = a.neg(n);
  for (double part : {high, middle, low})
    x = a.fma(minus, a.constant(part), x);
  return x;
}

struct ExpandSin : F32Pattern<math::SinOp> {
  using F32Pattern::F32Pattern;
  Value expand(math::SinOp op, Arithmetic &a) const override {
    Value x = op.getOperand();
    Value n =
        a.unary<math::RoundEvenOp>(a.mul(x, a.constant(std::numbers::inv_pi)));
    return sinNearMultiple(reduceByPi(x, n, a), n, a);
  }
};

/// cos(x) = -sin(x - (n + 1/2) pi) * (-1)^n with n = floor(x / pi).
struct ExpandCos : F32Pattern<math::CosOp> {
  using F32Pattern::F32Pattern;
  Value expand(math::CosOp op, Arithmetic &a) const override {
    Value x = op.getOperand();
    Value n =
        a.unary<math::FloorOp>(a.mul(x, a.constant(std::numbers::inv_pi)));
    Value r = reduceByPi(x, a.add(n, a.constant(0.5)), a);
    return a.neg(sinNearMultiple(r, n, a));
  }
};

/// Reports every math op that no route covers.
LogicalResult checkMath(Operation *root) {
  bool ok = true;
  root->walk([&](Operation *op) {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()))
      return;
    const MathEntry *entry = findEntry(op->getName().getStringRef());
    Type type = getElementTypeOrSelf(op->getOperand(0).getType());
    bool wide = type.isF64() && (!entry || entry->route != Route::Kept ||
                                 isa<math::ExpOp, math::LogOp>(op));
    if (entry && !wide)
      return;
    ok = false;
    InFlightDiagnostic diag = op->emitError()
                              << "'" << op->getName() << "' on " << type
                              << " has no lowering without a device library; "
                                 "write it with one of: ";
    llvm::interleaveComma(mathTable, diag, [&](const MathEntry &known) {
      diag << known.op.drop_front(StringRef("math.").size());
    });
    if (wide)
      diag << " on f32";
  });
  return success(ok);
}

} // namespace

llvm::LogicalResult moec::expandMath(Operation *root) {
  if (failed(checkMath(root)))
    return failure();
  MLIRContext *context = root->getContext();
  RewritePatternSet patterns(context);
  for (const MathEntry &entry : mathTable)
    if (entry.route == Route::Intrinsic)
      patterns.add(std::make_unique<ToIntrinsic>(context, entry));
  patterns.add<WidenNarrow, ExpandRsqrt, ExpandExpM1, ExpandLog1p, ExpandPow,
               ExpandFPowI, ExpandSin, ExpandCos>(context);
  // Upstream's approximations of these two are within 2.5e-7 relative over
  // their whole range; its sin and cos are not usable (wrong sign near odd
  // multiples of pi/2).
  populatePolynomialApproximateTanhPattern(patterns);
  populatePolynomialApproximateErfPattern(patterns);
  return applyPatternsGreedily(root, std::move(patterns),
                               GreedyRewriteConfig().enableFolding(false));
}
