// Binds the symbols of stages and layers to the numbers of a problem.

#include "compiler/transforms/bind_problem.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

#include <nlohmann/json.hpp>

using namespace mlir;

namespace moec {

namespace {

struct Symbol {
  StringRef name;
  int64_t Problem::*field;
  StringRef key; ///< What problem files call it.
};

constexpr Symbol kSymbols[] = {
    {"H", &Problem::hidden, "hidden"},
    {"I", &Problem::inter, "inter"},
    {"E", &Problem::experts, "experts"},
    {"K", &Problem::topk, "topk"},
};

/// Replaces sizes and groups under one stage or layer; remembers the first
/// error, since a replacer cannot fail.
class Binder {
public:
  Binder(Operation *op, const Problem &problem) : op(op), problem(problem) {
    replacer.addReplacement([this](moe::DimAttr dim) -> std::optional<Attribute> {
      return bind(dim);
    });
    replacer.addReplacement([this](moe::QuantAttr quant) -> std::optional<Attribute> {
      return bind(quant);
    });
  }

  ErrorCode run() {
    op->walk([this](Operation *inner) {
      replacer.replaceElementsIn(inner, /*replaceAttrs=*/true,
                                 /*replaceLocs=*/false, /*replaceTypes=*/true);
    });
    return code;
  }

private:
  Attribute bind(moe::DimAttr dim) {
    if (dim.isBound())
      return dim;
    for (const Symbol &symbol : kSymbols) {
      if (symbol.name != dim.getSymbol().getValue())
        continue;
      int64_t value = problem.*symbol.field;
      int64_t bound;
      if (value >= 1 && (llvm::MulOverflow(dim.getFactor(), value, bound) ||
                         bound > INT32_MAX)) {
        fail(ErrorCode::Content)
            << "has a size of " << dim.getFactor() << " * " << value
            << "; sizes are at most 2147483647";
        return dim;
      }
      if (value >= 1)
        return moe::DimAttr::get(dim.getContext(), bound, {});
      fail(ErrorCode::Usage) << "the problem does not give \"" << symbol.key
                             << "\", which binds " << symbol.name;
      return dim;
    }
    fail(ErrorCode::Usage) << "no problem binds the symbol "
                           << dim.getSymbol().getValue()
                           << "; known: H (hidden), I (inter), E (experts), K (topk)";
    return dim;
  }

  Attribute bind(moe::QuantAttr quant) {
    std::string scale;
    llvm::raw_string_ostream(scale) << quant.getScale();
    if (scale != problem.scale) {
      fail(ErrorCode::Unsupported)
          << "wants scales of type " << scale << " and the problem has \""
          << problem.scale << "\"; convert the scales or write a stage with scale = "
          << problem.scale;
      return quant;
    }
    if (quant.getGroup() && problem.group && quant.getGroup() != problem.group) {
      fail(ErrorCode::Content)
          << "writes group = " << quant.getGroup() << " and the problem has group "
          << problem.group << "; leave the group out of one of them";
      return quant;
    }
    int64_t group = quant.getGroup() ? quant.getGroup() : problem.group;
    if (!group) {
      fail(ErrorCode::Usage) << "has a quantised format without a group and the "
                                "problem does not give \"group\"";
      return quant;
    }
    return moe::QuantAttr::get(quant.getContext(), quant.getElement(), group,
                               quant.getScale());
  }

  /// A diagnostic for the first error, one that says nothing for later ones.
  InFlightDiagnostic fail(ErrorCode kind) {
    if (code != ErrorCode::Ok)
      return InFlightDiagnostic();
    code = kind;
    return op->emitError() << "stage or layer @" << SymbolTable::getSymbolName(op).getValue()
                           << ' ';
  }

  Operation *op;
  const Problem &problem;
  AttrTypeReplacer replacer;
  ErrorCode code = ErrorCode::Ok;
};

} // namespace

ErrorCode bindProblem(ModuleOp module, const Problem &problem) {
  for (Operation &op : module.getBody()->getOperations()) {
    if (!isa<moe::StageOp, moe::LayerOp>(op))
      continue;
    ErrorCode code = Binder(&op, problem).run();
    if (code != ErrorCode::Ok)
      return code;
  }
  return ErrorCode::Ok;
}

static std::string printBare(moe::DimAttr dim) {
  if (dim.isBound())
    return std::to_string(dim.value());
  std::string factor =
      dim.getFactor() == 1 ? "" : std::to_string(dim.getFactor()) + "*";
  return factor + dim.getSymbol().str();
}

std::string describeStages(ModuleOp module) {
  nlohmann::json stages = nlohmann::json::array();
  for (auto stage : module.getOps<moe::StageOp>()) {
    moe::ContractOp contract = stage.getContract();
    moe::QuantAttr format = contract.getWeights().getType().getFormat();
    std::string element, scale;
    llvm::raw_string_ostream(element) << format.getElement();
    llvm::raw_string_ostream(scale) << format.getScale();
    stages.push_back(
        {{"stage", stage.getSymName().str()},
         {"element", element},
         {"group", format.getGroup()},
         {"scale", scale},
         {"projections", contract.getNumResults()},
         {"x", stringifyRowSpace(contract.getX().getType().getSpace()).str()},
         {"result", stringifyRowSpace(stage.getResultRows().getSpace()).str()},
         {"channels", printBare(stage.getResultRows().getCols())},
         {"depth", printBare(contract.getX().getType().getCols())}});
  }
  return stages.dump();
}

} // namespace moec
