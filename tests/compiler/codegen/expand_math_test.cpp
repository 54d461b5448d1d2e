// Accuracy of the math that is written out for the GPU.
//
// The expansion of each function is evaluated here op by op in f32, with the
// host's exp, log and sqrt in place of the GPU's (which are within 1 ulp), and
// compared with the C library in f64.

#include "compiler/codegen/codegen.h"
#include "compiler/codegen/expand_math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/DenseMap.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>

using namespace mlir;

namespace {

using Function = float (*)(const float *);
const std::map<std::string, Function> functions = {
    {"arith.addf", [](const float *x) { return x[0] + x[1]; }},
    {"arith.subf", [](const float *x) { return x[0] - x[1]; }},
    {"arith.mulf", [](const float *x) { return x[0] * x[1]; }},
    {"arith.divf", [](const float *x) { return x[0] / x[1]; }},
    {"arith.negf", [](const float *x) { return -x[0]; }},
    {"arith.ori", [](const float *x) { return float(x[0] != 0 || x[1] != 0); }},
    {"arith.andi",
     [](const float *x) { return float(x[0] != 0 && x[1] != 0); }},
    {"arith.select", [](const float *x) { return x[0] != 0 ? x[1] : x[2]; }},
    {"math.absf", [](const float *x) { return std::fabs(x[0]); }},
    {"math.copysign", [](const float *x) { return std::copysign(x[0], x[1]); }},
    {"math.exp", [](const float *x) { return std::exp(x[0]); }},
    {"math.fma", [](const float *x) { return std::fma(x[0], x[1], x[2]); }},
    {"math.log", [](const float *x) { return std::log(x[0]); }},
    {"math.roundeven", [](const float *x) { return std::nearbyint(x[0]); }},
    {"math.sqrt", [](const float *x) { return std::sqrt(x[0]); }},
    {"llvm.exp2", [](const float *x) { return std::exp2(x[0]); }},
    {"llvm.floor", [](const float *x) { return std::floor(x[0]); }},
    {"llvm.log2", [](const float *x) { return std::log2(x[0]); }},
};

/// One expanded function, to be called many times.
class Expansion {
public:
  explicit Expansion(const std::string &op) {
    DialectRegistry registry;
    moec::registerCodegenDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: f32, %y: f32) -> f32 { %r = " + op +
            " : f32 return %r : f32 }",
        &context);
    REQUIRE(module);
    REQUIRE(succeeded(moec::expandMath(*module)));
    function = *module->getOps<func::FuncOp>().begin();
  }

  float operator()(float x, float y) {
    values[function.getArgument(0)] = x;
    values[function.getArgument(1)] = y;
    for (Operation &op : function.getBody().front()) {
      float operands[3] = {};
      for (auto [i, operand] : llvm::enumerate(op.getOperands()))
        operands[i] = values[operand];
      if (isa<func::ReturnOp>(op))
        return operands[0];
      values[op.getResult(0)] = evaluate(op, operands);
    }
    return NAN;
  }

private:
  float evaluate(Operation &op, const float *operands) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
        return float(number.getValueAsDouble());
      return cast<IntegerAttr>(constant.getValue()).getValue().isZero() ? 0 : 1;
    }
    if (auto compare = dyn_cast<arith::CmpFOp>(op))
      return arith::applyCmpPredicate(compare.getPredicate(),
                                      llvm::APFloat(operands[0]),
                                      llvm::APFloat(operands[1]));
    std::string name = op.getName().getStringRef().str();
    if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
      name = call.getIntrin().str();
    auto known = functions.find(name);
    if (known == functions.end())
      FAIL("expanded to '" << name << "', which this test does not know");
    return known->second(operands);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  llvm::DenseMap<Value, float> values;
};

struct Accuracy {
  const char *op;
  double (*exact)(double x, double y);
  double relative, absolute; ///< Either is enough.
  double low, high;          ///< Range of |x|, walked by factors.
};

const Accuracy table[] = {
    {"math.tanh %x", [](double x, double) { return std::tanh(x); }, 5e-7, 0,
     1e-20, 50},
    {"math.erf %x", [](double x, double) { return std::erf(x); }, 5e-7, 0,
     1e-20, 50},
    {"math.expm1 %x", [](double x, double) { return std::expm1(x); }, 5e-7, 0,
     1e-20, 80},
    {"math.log1p %x", [](double x, double) { return std::log1p(x); }, 5e-7, 0,
     1e-20, 1e20},
    {"math.rsqrt %x", [](double x, double) { return 1 / std::sqrt(x); }, 2e-7,
     0, 1e-30, 1e30},
    {"math.sin %x", [](double x, double) { return std::sin(x); }, 0, 3e-7,
     1e-20, 1e4},
    {"math.cos %x", [](double x, double) { return std::cos(x); }, 0, 3e-7,
     1e-20, 1e4},
    // 2^(y log2 x) with |y log2 x| up to 21: 21 * 2^-24 on top of exp2 itself.
    {"math.powf %x, %y", [](double x, double y) { return std::pow(x, y); },
     3e-6, 0, 1e-2, 1e2},
    {"math.exp2 %x", [](double x, double) { return std::exp2(x); }, 2e-7, 0,
     1e-20, 100},
};

} // namespace

TEST_CASE("ExpandMath_EveryFunction_IsAccurate") {
  for (const Accuracy &row : table) {
    Expansion expanded(row.op);
    double worst = 0;
    float worstX = 0;
    for (double step = row.low; step < row.high; step *= 1.0137)
      for (float x : {float(step), float(-step)}) {
        float y = 3.15f;
        double exact = row.exact(x, y), got = expanded(x, y);
        if (std::isnan(exact)) {
          CHECK(std::isnan(got));
          continue;
        }
        double error = std::fabs(got - exact);
        double relative = error / std::fabs(exact);
        if (error > row.absolute && relative > worst)
          worst = relative, worstX = x;
      }
    INFO(row.op << ": relative error " << worst << " at " << worstX);
    CHECK(worst <= row.relative);
  }
}

TEST_CASE("ExpandMath_SpecialValues_AreThoseOfTheCLibrary") {
  const float infinity = INFINITY;
  Expansion tanh("math.tanh %x"), erf("math.erf %x"), log1p("math.log1p %x"),
      pow("math.powf %x, %y");
  CHECK(tanh(infinity, 0) == 1);
  CHECK(tanh(-infinity, 0) == -1);
  CHECK(std::isnan(tanh(NAN, 0)));
  CHECK(erf(-infinity, 0) == -1);
  CHECK(std::isnan(erf(NAN, 0)));
  CHECK(log1p(infinity, 0) == infinity);
  CHECK(log1p(-1, 0) == -infinity);
  CHECK(pow(-2, 3) == -8);
  CHECK(pow(-2, 2) == 4);
  CHECK(std::isnan(pow(-2, 0.5f)));
  CHECK(pow(0, 0) == 1);
  CHECK(pow(0, 2) == 0);
  CHECK(pow(1, NAN) == 1);
}
