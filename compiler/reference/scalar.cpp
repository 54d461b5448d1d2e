// Tables of scalar operations in f64; see scalar.h.

#include "compiler/reference/scalar.h"

#include "dialects/moe/Moe.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;

namespace moec::reference {
namespace {

struct Unary {
  StringLiteral name;
  double (*apply)(double);
};

constexpr Unary unaryTable[] = {
    {"arith.negf", [](double x) { return -x; }},
    {"math.absf", [](double x) { return std::fabs(x); }},
    {"math.atan", [](double x) { return std::atan(x); }},
    {"math.cbrt", [](double x) { return std::cbrt(x); }},
    {"math.ceil", [](double x) { return std::ceil(x); }},
    {"math.cos", [](double x) { return std::cos(x); }},
    {"math.erf", [](double x) { return std::erf(x); }},
    {"math.exp", [](double x) { return std::exp(x); }},
    {"math.exp2", [](double x) { return std::exp2(x); }},
    {"math.expm1", [](double x) { return std::expm1(x); }},
    {"math.floor", [](double x) { return std::floor(x); }},
    {"math.isnan", [](double x) { return double(std::isnan(x)); }},
    {"math.log", [](double x) { return std::log(x); }},
    {"math.log10", [](double x) { return std::log10(x); }},
    {"math.log1p", [](double x) { return std::log1p(x); }},
    {"math.log2", [](double x) { return std::log2(x); }},
    {"math.round", [](double x) { return std::round(x); }},
    {"math.roundeven", [](double x) { return std::nearbyint(x); }},
    {"math.rsqrt", [](double x) { return 1 / std::sqrt(x); }},
    {"math.sin", [](double x) { return std::sin(x); }},
    {"math.sqrt", [](double x) { return std::sqrt(x); }},
    {"math.tanh", [](double x) { return std::tanh(x); }},
    {"math.trunc", [](double x) { return std::trunc(x); }},
    // x * sigmoid(x) with the limits that the dialect states: exp(-x) is
    // infinite long before x is, and -inf / inf would be NaN.
    {"moe.silu",
     [](double x) {
       return std::isinf(x) && x < 0 ? -0.0 : x / (1 + std::exp(-x));
     }},
};

/// NaN if either is, as the IEEE 754-2019 operations of this name.
double maximum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? std::nan("") : std::fmax(x, y);
}
double minimum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? std::nan("") : std::fmin(x, y);
}

struct Binary {
  StringLiteral name;
  double (*apply)(double, double);
};

constexpr Binary binaryTable[] = {
    {"arith.addf", [](double x, double y) { return x + y; }},
    {"arith.andi", [](double x, double y) { return double(x != 0 && y != 0); }},
    {"arith.divf", [](double x, double y) { return x / y; }},
    {"arith.maximumf", maximum},
    {"arith.maxnumf", [](double x, double y) { return std::fmax(x, y); }},
    {"arith.minimumf", minimum},
    {"arith.minnumf", [](double x, double y) { return std::fmin(x, y); }},
    {"arith.mulf", [](double x, double y) { return x * y; }},
    {"arith.ori", [](double x, double y) { return double(x != 0 || y != 0); }},
    {"arith.remf", [](double x, double y) { return std::fmod(x, y); }},
    {"arith.subf", [](double x, double y) { return x - y; }},
    {"arith.xori",
     [](double x, double y) { return double((x != 0) != (y != 0)); }},
    {"math.atan2", [](double x, double y) { return std::atan2(x, y); }},
    {"math.copysign", [](double x, double y) { return std::copysign(x, y); }},
    {"math.powf", [](double x, double y) { return std::pow(x, y); }},
};

struct Ternary {
  StringLiteral name;
  double (*apply)(double, double, double);
};

constexpr Ternary ternaryTable[] = {
    {"arith.select",
     [](double c, double x, double y) { return c != 0 ? x : y; }},
    {"math.clampf", [](double x, double low,
                       double high) { return minimum(maximum(x, low), high); }},
    {"math.fma", [](double x, double y, double z) { return x * y + z; }},
};

bool compare(arith::CmpFPredicate predicate, double x, double y) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return x == y;
  case P::OGT:
    return x > y;
  case P::OGE:
    return x >= y;
  case P::OLT:
    return x < y;
  case P::OLE:
    return x <= y;
  case P::ONE:
    return !unordered && x != y;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || x == y;
  case P::UGT:
    return unordered || x > y;
  case P::UGE:
    return unordered || x >= y;
  case P::ULT:
    return unordered || x < y;
  case P::ULE:
    return unordered || x <= y;
  case P::UNE:
    return unordered || x != y;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  return false;
}

double geluErf(double x) {
  return x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
}
double geluTanh(double x) {
  double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return x / 2 * (1 + std::tanh(inner));
}

/// Calls `apply` on every element of the first N operands.
template <typename Function, size_t... I>
void forEach(Function apply, const std::vector<const Batch *> &operands,
             Batch &result, std::index_sequence<I...>) {
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = apply((*operands[I])[i]...);
}

template <typename Table>
const Table *find(llvm::ArrayRef<Table> table, StringRef name) {
  for (const Table &entry : table)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

std::string evaluateConstant(arith::ConstantOp op, Batch &result) {
  double value;
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    value = number.getValueAsDouble();
  else if (auto flag = dyn_cast<IntegerAttr>(op.getValue()))
    value = flag.getValue().isZero() ? 0 : 1;
  else
    return "is neither a float nor an i1 constant";
  std::fill(result.begin(), result.end(), value);
  return {};
}

} // namespace

std::string evaluateScalar(Operation *op,
                           const std::vector<const Batch *> &operands,
                           size_t size, Batch &result) {
  result.assign(size, 0);
  StringRef name = op->getName().getStringRef();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return evaluateConstant(constant, result);
  if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
    auto apply = [&](double x, double y) {
      return double(compare(cmp.getPredicate(), x, y));
    };
    forEach(apply, operands, result, std::make_index_sequence<2>());
  } else if (auto gelu = dyn_cast<mlir::moe::GeluOp>(op)) {
    bool erf = gelu.getForm() == mlir::moe::GeluForm::erf;
    forEach(erf ? geluErf : geluTanh, operands, result,
            std::make_index_sequence<1>());
  } else if (auto *unary = find<Unary>(unaryTable, name)) {
    forEach(unary->apply, operands, result, std::make_index_sequence<1>());
  } else if (auto *binary = find<Binary>(binaryTable, name)) {
    forEach(binary->apply, operands, result, std::make_index_sequence<2>());
  } else if (auto *ternary = find<Ternary>(ternaryTable, name)) {
    forEach(ternary->apply, operands, result, std::make_index_sequence<3>());
  } else {
    return "is not known to the reference interpreter";
  }
  return {};
}

float roundTo(Type type, double value) {
  llvm::APFloat exact(value);
  bool losesInfo;
  exact.convert(cast<FloatType>(type).getFloatSemantics(),
                llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  exact.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return exact.convertToFloat();
}

} // namespace moec::reference
