// Evaluation of a stage's body; see stage.h.

#include "compiler/reference/stage.h"

#include "compiler/reference/scalar.h"
#include "compiler/reference/weights.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <exception>
#include <span>
#include <thread>

using namespace mlir;
using mlir::moe::ContractOp;
using mlir::moe::RouterWeightOp;
using mlir::moe::RowSpace;
using mlir::moe::StageOp;

namespace moec::reference {

Sizes::Sizes(const Problem &problem)
    : symbols{{"H", problem.hidden},
              {"I", problem.inter},
              {"E", problem.experts},
              {"K", problem.topk}},
      problemGroup(problem.group) {}

Expected<int64_t> Sizes::value(mlir::moe::DimAttr dim) const {
  if (dim.isBound())
    return dim.value();
  auto it = symbols.find(dim.getSymbol().str());
  if (it == symbols.end() || it->second < 1)
    return Status(ErrorCode::Usage, "reference: the problem does not bind the "
                                    "symbol " +
                                        dim.getSymbol().str());
  return dim.getFactor() * it->second;
}

int64_t Sizes::group(mlir::moe::QuantAttr format) const {
  return format.getGroup() ? format.getGroup() : problemGroup;
}

namespace {

/// The numbers of a stage, bound.
struct Shape {
  int64_t experts = 0, channels = 0, depth = 0, group = 0, columns = 0;

  static Expected<Shape> of(StageOp stage, const Sizes &sizes) {
    auto weights = stage.getContract().getWeights().getType();
    Shape shape;
    for (auto [dim, value] :
         {std::pair{weights.getExperts(), &shape.experts},
          std::pair{weights.getChannels(), &shape.channels},
          std::pair{weights.getDepth(), &shape.depth},
          std::pair{stage.getResultRows().getCols(), &shape.columns}}) {
      Expected<int64_t> bound = sizes.value(dim);
      if (!bound)
        return bound.status();
      *value = *bound;
    }
    auto format = weights.getFormat();
    shape.group = sizes.group(format);
    if (!format.getElement().isInteger(4) || !format.getScale().isBF16() ||
        shape.group < 1 || shape.depth % 8)
      return Status(ErrorCode::Unsupported,
                    "reference: the weights of stage @" +
                        stage.getSymName().str() +
                        " are not i4 with grouped bf16 scales");
    return shape;
  }
};

/// Evaluates the body for consecutive pairs of one expert.
class Evaluator {
public:
  Evaluator(StageOp stage, const Shape &shape, const Rows &x,
            const Routing &routing)
      : stage(stage), shape(shape), x(x), routing(routing) {}

  /// The yielded values of `pairs`, [pairs, columns]; `error` says what went
  /// wrong.
  Batch run(const std::vector<int64_t> &pairs, const ExpertWeights &weights,
            std::string &error) {
    llvm::DenseMap<Value, Batch> values;
    size_t size = pairs.size() * size_t(shape.columns);
    for (Operation &op : stage.getBody().front()) {
      if (auto contract = dyn_cast<ContractOp>(op)) {
        for (auto [p, result] : llvm::enumerate(contract.getProjections()))
          values[result] = project(pairs, weights, int64_t(p));
      } else if (auto weight = dyn_cast<RouterWeightOp>(op)) {
        values[weight.getResult()] = routerWeights(pairs);
      } else if (isa<mlir::moe::YieldOp>(op)) {
        return std::move(values[op.getOperand(0)]);
      } else {
        std::vector<const Batch *> operands;
        for (Value operand : op.getOperands())
          operands.push_back(&values[operand]);
        Batch result;
        error = evaluateScalar(&op, operands, size, result);
        if (!error.empty()) {
          error = "'" + op.getName().getStringRef().str() + "' " + error;
          return {};
        }
        values[op.getResult(0)] = std::move(result);
      }
    }
    return {};
  }

private:
  /// Row of x that a pair contracts with.
  std::vector<double> rowOf(int64_t pair) const {
    int64_t row = x.space == RowSpace::token ? pair / routing.slots : pair;
    auto begin = x.data.begin() + row * x.cols;
    return std::vector<double>(begin, begin + x.cols);
  }

  Batch project(const std::vector<int64_t> &pairs, const ExpertWeights &weights,
                int64_t p) const {
    std::vector<std::vector<double>> rows;
    for (int64_t pair : pairs)
      rows.push_back(rowOf(pair));
    Batch result(pairs.size() * size_t(shape.columns));
    std::vector<double> channel(size_t(shape.depth));
    for (int64_t n = 0; n < shape.columns; ++n) {
      weights.dequantise(p * shape.columns + n, channel.data());
      for (size_t i = 0; i < pairs.size(); ++i)
        result[i * size_t(shape.columns) + size_t(n)] =
            dot(rows[i].data(), channel.data(), shape.depth);
    }
    return result;
  }

  Batch routerWeights(const std::vector<int64_t> &pairs) const {
    Batch result;
    for (int64_t pair : pairs)
      result.insert(result.end(), size_t(shape.columns),
                    double(routing.weights[size_t(pair)]));
    return result;
  }

  StageOp stage;
  const Shape &shape;
  const Rows &x;
  const Routing &routing;
};

/// Pairs with a valid expert, by expert, then by pair.
std::vector<int64_t> sortPairs(const Routing &routing) {
  std::vector<int64_t> pairs;
  for (int64_t pair = 0; pair < routing.tokens * routing.slots; ++pair) {
    int32_t id = routing.ids[size_t(pair)];
    if (id >= 0 && id < routing.experts)
      pairs.push_back(pair);
  }
  std::sort(pairs.begin(), pairs.end(), [&](int64_t a, int64_t b) {
    return std::pair(routing.ids[size_t(a)], a) <
           std::pair(routing.ids[size_t(b)], b);
  });
  return pairs;
}

/// What one thread does: a stretch of the sorted pairs. Pairs that share a row
/// of the result are summed in f64.
struct Worker {
  StageOp stage;
  const Shape &shape;
  const Rows &x;
  const WeightSource &source;
  const Routing &routing;
  std::vector<double> sums; ///< The result's rows, before rounding.
  Status status;

  void run(std::span<const int64_t> pairs) {
    bool perToken = stage.getResultRows().getSpace() == RowSpace::token;
    int64_t rows = routing.tokens * (perToken ? 1 : routing.slots);
    sums.assign(size_t(rows * shape.columns), 0);
    Evaluator evaluator(stage, shape, x, routing);
    // Few pairs at a time: each brings a row of every value in the body.
    constexpr size_t maxBatch = 64;
    ExpertWeights weights(shape.channels, shape.depth, shape.group);
    int32_t loaded = -1;
    for (size_t i = 0; i < pairs.size() && status.ok();) {
      int32_t expert = routing.ids[size_t(pairs[i])];
      std::vector<int64_t> batch;
      while (i < pairs.size() && batch.size() < maxBatch &&
             routing.ids[size_t(pairs[i])] == expert)
        batch.push_back(pairs[i++]);
      if (expert != loaded)
        load(expert, weights);
      loaded = expert;
      std::string error;
      Batch values;
      if (status.ok())
        values = evaluator.run(batch, weights, error);
      if (!error.empty())
        status = Status(ErrorCode::Unsupported, "reference: stage @" +
                                                    stage.getSymName().str() +
                                                    ": " + error);
      if (!status.ok())
        return;
      for (size_t b = 0; b < batch.size(); ++b) {
        int64_t row = perToken ? batch[b] / routing.slots : batch[b];
        for (int64_t n = 0; n < shape.columns; ++n)
          sums[size_t(row * shape.columns + n)] +=
              values[b * size_t(shape.columns) + size_t(n)];
      }
    }
  }

private:
  void load(int32_t expert, ExpertWeights &weights) {
    int code = source.fetch(
        source.context, source.tensor.c_str(), expert, weights.values.data(),
        weights.values.size() * sizeof weights.values[0], weights.scales.data(),
        weights.scales.size() * sizeof weights.scales[0]);
    if (code)
      status =
          Status(ErrorCode(code), "reference: no weights of '" + source.tensor +
                                      "', expert " + std::to_string(expert));
  }
};

} // namespace

Expected<Rows> runStage(StageOp stage, const Sizes &sizes, const Rows &x,
                        const WeightSource &weights, const Routing &routing) {
  Expected<Shape> shape = Shape::of(stage, sizes);
  if (!shape)
    return shape.status();
  std::vector<int64_t> pairs = sortPairs(routing);
  size_t count = std::clamp<size_t>(std::thread::hardware_concurrency(), 1,
                                    std::max<size_t>(pairs.size(), 1));
  std::vector<Worker> workers(
      count, Worker{stage, *shape, x, weights, routing, {}, {}});
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    size_t begin = pairs.size() * i / count;
    size_t end = pairs.size() * (i + 1) / count;
    threads.emplace_back([&worker = workers[i], &pairs, begin, end] {
      try {
        worker.run(std::span(pairs).subspan(begin, end - begin));
      } catch (const std::exception &error) { // An allocation, or the callback.
        worker.status = Status(ErrorCode::Internal,
                               std::string("reference: ") + error.what());
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();

  Rows result;
  result.space = stage.getResultRows().getSpace();
  result.cols = shape->columns;
  result.data.resize(workers[0].sums.size());
  for (const Worker &worker : workers)
    if (!worker.status.ok())
      return worker.status;
  Type element = stage.getResultRows().getElement();
  for (size_t i = 0; i < result.data.size(); ++i) {
    double sum = 0;
    for (const Worker &worker : workers)
      sum += worker.sums[i];
    result.data[i] = roundTo(element, sum);
  }
  return result;
}

} // namespace moec::reference
