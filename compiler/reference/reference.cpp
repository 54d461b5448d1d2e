// Layers: operands in, stages one after the other, result out; see reference.h.

#include "compiler/reference/reference.h"

#include "compiler/reference/scalar.h"
#include "compiler/reference/stage.h"
#include "compiler/reference/weights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/DenseMap.h"

#include <cstring>

using namespace mlir;
using mlir::moe::LayerOp;
using mlir::moe::RowSpace;

namespace moec {
namespace {

using namespace moec::reference;

/// Interprets one layer; values are held by kind.
class Interpreter {
public:
  Interpreter(const ReferenceCall &call, const Problem &problem, LayerOp layer)
      : call(call), sizes(problem), layer(layer) {}

  Status run() {
    for (unsigned i = 0; i < layer.getArgumentTypes().size(); ++i)
      if (Status status = bindArgument(i); !status.ok())
        return status;
    for (Operation &op : layer.getBody().front()) {
      Status status = step(op);
      if (!status.ok())
        return status;
    }
    return {};
  }

private:
  Status step(Operation &op) {
    if (auto route = dyn_cast<mlir::moe::RouteOp>(op)) {
      Routing choice = routings[route.getChoice()];
      routings[route.getRouting()] = std::move(choice);
      return {};
    }
    if (auto apply = dyn_cast<mlir::moe::ApplyOp>(op))
      return runApply(apply);
    if (auto result = dyn_cast<mlir::moe::ReturnOp>(op))
      return store(rows[result.getValue()]);
    return Status(ErrorCode::Unsupported,
                  "reference: '" + op.getName().getStringRef().str() +
                      "' in a layer is not known");
  }

  Status runApply(mlir::moe::ApplyOp apply) {
    auto weights = dyn_cast<BlockArgument>(apply.getWeights());
    if (!weights)
      return Status(ErrorCode::Unsupported,
                    "reference: weights are arguments of the layer");
    auto stage = SymbolTable::lookupNearestSymbolFrom<mlir::moe::StageOp>(
        apply, apply.getStageAttr());
    WeightSource source{layer.getTensorName(weights.getArgNumber()).str(),
                        call.weights, call.weightsContext};
    Expected<Rows> result = runStage(stage, sizes, rows[apply.getX()], source,
                                     routings[apply.getRouting()]);
    if (!result)
      return result.status();
    rows[apply.getResult()] = result.take();
    return {};
  }

  Status bindArgument(unsigned index) {
    Value argument = layer.getBody().getArgument(index);
    std::string name = layer.getTensorName(index).str();
    if (auto type = dyn_cast<mlir::moe::RowsType>(argument.getType()))
      return bindRows(name, type, rows[argument]);
    if (auto type = dyn_cast<mlir::moe::TopkType>(argument.getType()))
      return bindChoice(name, type, routings[argument]);
    return {}; // Weights come by callback.
  }

  int64_t slots() {
    for (Type type : layer.getArgumentTypes())
      if (auto choice = dyn_cast<mlir::moe::TopkType>(type))
        if (Expected<int64_t> value = sizes.value(choice.getSlots()))
          return *value;
    return 1;
  }

  Status bindRows(const std::string &name, mlir::moe::RowsType type,
                  Rows &result) {
    Expected<int64_t> cols = sizes.value(type.getCols());
    if (!cols)
      return cols.status();
    if (!type.getElement().isBF16() && !type.getElement().isF32())
      return Status(ErrorCode::Unsupported,
                    "reference: tensor '" + name + "' is neither bf16 nor f32");
    result.space = type.getSpace();
    result.cols = *cols;
    int64_t count =
        call.tokens * *cols * (type.getSpace() == RowSpace::pair ? slots() : 1);
    result.data.resize(size_t(count));
    if (type.getElement().isF32())
      return read(name, result.data);
    std::vector<uint16_t> bits(size_t(count), 0);
    Status status = read(name, bits);
    for (size_t i = 0; i < bits.size(); ++i)
      result.data[i] = float(fromBf16(bits[i]));
    return status;
  }

  Status bindChoice(const std::string &name, mlir::moe::TopkType type,
                    Routing &result) {
    for (auto [dim, value] : {std::pair{type.getSlots(), &result.slots},
                              std::pair{type.getExperts(), &result.experts}}) {
      Expected<int64_t> bound = sizes.value(dim);
      if (!bound)
        return bound.status();
      *value = *bound;
    }
    result.tokens = call.tokens;
    result.ids.resize(size_t(result.tokens * result.slots));
    result.weights.resize(result.ids.size());
    if (Status status = read(name + "_ids", result.ids); !status.ok())
      return status;
    return read(name + "_weights", result.weights);
  }

  /// Copies the tensor `name`, which must have exactly the size of `data`.
  template <typename T>
  Status read(const std::string &name, std::vector<T> &data) {
    size_t size = data.size() * sizeof(T);
    for (const moec_reference_tensor &tensor : call.tensors) {
      if (name != tensor.name)
        continue;
      if (tensor.size != size)
        return Status(ErrorCode::Usage,
                      "reference: tensor '" + name + "' has " +
                          std::to_string(tensor.size) + " bytes; for " +
                          std::to_string(call.tokens) +
                          " tokens it must have " + std::to_string(size));
      if (size)
        std::memcpy(data.data(), tensor.data, size);
      return {};
    }
    return Status(ErrorCode::Usage,
                  "reference: the tensor '" + name + "' is missing");
  }

  Status store(const Rows &result) {
    if (call.result.size() != result.data.size())
      return Status(ErrorCode::Usage,
                    "reference: the result has " +
                        std::to_string(result.data.size() * sizeof(float)) +
                        " bytes, room was given for " +
                        std::to_string(call.result.size_bytes()));
    std::copy(result.data.begin(), result.data.end(), call.result.begin());
    return {};
  }

  const ReferenceCall &call;
  Sizes sizes;
  LayerOp layer;
  llvm::DenseMap<Value, Rows> rows;
  llvm::DenseMap<Value, Routing> routings;
};

ErrorCode interpret(const ReferenceCall &call, MLIRContext *context,
                    Status &status) {
  auto module =
      parseSourceString<ModuleOp>(call.module, context, "reference module");
  if (!module)
    return ErrorCode::Content;
  auto layers = llvm::to_vector(module->getOps<LayerOp>());
  if (layers.size() != 1) {
    status = Status(ErrorCode::Content,
                    "reference: expected one moe.layer in the module, found " +
                        std::to_string(layers.size()));
    return status.code();
  }
  Expected<Problem> problem = parseProblem(call.problem);
  if (!problem)
    status = problem.status();
  else if (call.tokens < 0)
    status = Status(ErrorCode::Usage, "reference: the number of tokens is " +
                                          std::to_string(call.tokens));
  else
    status = Interpreter(call, *problem, layers.front()).run();
  return status.code();
}

} // namespace

ErrorCode runReference(const ReferenceCall &call, DiagnosticList &diagnostics) {
  DialectRegistry registry;
  registry
      .insert<arith::ArithDialect, math::MathDialect, mlir::moe::MoeDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  DiagnosticCollector collector(&context, diagnostics);
  Status status;
  ErrorCode code = interpret(call, &context, status);
  if (!status.ok())
    diagnostics.push_back(plainError(status.message()));
  return code;
}

} // namespace moec
