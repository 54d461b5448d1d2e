// Layer -> launch plans; see plan.h.
//
// A plan is straight-line: the layer's nodes in order, each one launch, and
// one more where the pairs of a token are summed. Buffers between nodes lie in
// the workspace one after the other.

#include "compiler/pipeline/plan.h"

#include "compiler/lowering/tile_to_rocdl.h"
#include "compiler/schedule/schedule.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;

namespace moec {
namespace {

/// f32 partial sums of one pass take at most this much workspace.
constexpr uint64_t kPartialBytes = 64ull << 20;
/// Activation matrices of one pass stay below this: kernels address them with
/// 32-bit offsets, of which the topmost mean "outside".
constexpr uint64_t kMatrixBytes = 0xFFFF0000ull;
constexpr uint64_t kAlignment = 256;
/// HIP's limit of a grid along y, where blocks of rows and tokens lie.
constexpr int64_t kMaxGridY = 65535;
/// Sorted ids keep the token in 24 bits; the number of tokens marks a pad.
constexpr uint64_t kMaxTokens = (1 << 24) - 1;
using tile::kTile;

std::string print(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text;
}

/// Row spaces, columns and bytes of an activation matrix.
struct Matrix {
  moe::RowsType type;
  int64_t slots;

  int64_t rowsPerToken() const {
    return type.getSpace() == moe::RowSpace::pair ? slots : 1;
  }
  uint64_t tokenBytes(int64_t elementBytes) const {
    return uint64_t(rowsPerToken()) * type.getCols().value() * elementBytes;
  }
  uint64_t tokenBytes() const {
    return tokenBytes(type.getElement().getIntOrFloatBitWidth() / 8);
  }
};

/// What routing leaves in the workspace.
struct RoutingBuffers {
  Binding sortedIds, expertIds, numValid, ids, weights;
};

/// The plan of one bucket.
class Planner {
public:
  Planner(moe::LayerOp layer, const Request &request, PlannedLayer &result,
          int64_t bucket)
      : layer(layer), request(request), result(result) {
    plan.layer = layer.getSymName().str();
    plan.problem = request.problem->canonical();
    plan.target = request.target->name;
    plan.bucket = bucket;
  }

  ErrorCode run() {
    choosePass();
    bindTensors();
    for (Operation &op : layer.getBody().front()) {
      ErrorCode code = ErrorCode::Ok;
      if (auto route = dyn_cast<moe::RouteOp>(op))
        planRoute(route);
      else if (auto apply = dyn_cast<moe::ApplyOp>(op))
        code = planApply(apply);
      else if (!isa<moe::ReturnOp>(op))
        code = refuse(&op, "is not an operation of a layer");
      if (code != ErrorCode::Ok)
        return code;
    }
    result.plans.push_back(std::move(plan));
    return ErrorCode::Ok;
  }

private:
  ErrorCode refuse(Operation *op, const Twine &what) {
    op->emitOpError() << what;
    return ErrorCode::Content;
  }

  moe::StageOp stageOf(moe::ApplyOp apply) {
    return SymbolTable::lookupNearestSymbolFrom<moe::StageOp>(apply,
                                                              apply.getStageAttr());
  }

  static bool sumsPairs(moe::StageOp stage) {
    return stage.getResultRows().getSpace() == moe::RowSpace::token;
  }

  /// Tokens of one pass: as many as the bucket has, fewer when partial sums, a
  /// matrix or a grid would grow too large.
  void choosePass() {
    uint64_t tokens = std::min<uint64_t>(plan.bucket, kMaxTokens);
    for (auto apply : layer.getBody().front().getOps<moe::ApplyOp>()) {
      moe::StageOp stage = stageOf(apply);
      int64_t slots = apply.getRouting().getType().getSlots().value();
      int64_t experts = apply.getRouting().getType().getExperts().value();
      tokens = std::min<uint64_t>(
          tokens, (kTile * kMaxGridY - (kTile - 1) * experts) / slots);
      Matrix x{apply.getX().getType(), slots};
      tokens = std::min(tokens, kMatrixBytes / x.tokenBytes());
      Matrix y{stage.getResultRows(), slots};
      if (sumsPairs(stage)) // The combine kernel has a row of blocks a token.
        tokens = std::min({tokens, uint64_t(kMaxGridY),
                           kPartialBytes / (4 * slots * y.type.getCols().value())});
      else
        tokens = std::min(tokens, kMatrixBytes / y.tokenBytes());
    }
    plan.passTokens = std::max<uint64_t>(tokens, 1);
  }

  //===--------------------------------------------------------------------===//
  // Tensors and workspace
  //===--------------------------------------------------------------------===//

  Binding tensor(std::string name, uint64_t tokenBytes) {
    Binding binding;
    binding.kind = Binding::Kind::Tensor;
    binding.tensor = std::move(name);
    binding.tokenBytes = tokenBytes;
    return binding;
  }

  Binding workspace(uint64_t bytes) {
    Binding binding;
    binding.kind = Binding::Kind::Workspace;
    binding.offset = plan.workspaceBytes;
    plan.workspaceBytes += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return binding;
  }

  Binding number(int64_t value) {
    Binding binding;
    binding.kind = Binding::Kind::Int32;
    binding.value = value;
    return binding;
  }

  Binding tokens() {
    Binding binding;
    binding.kind = Binding::Kind::Tokens;
    return binding;
  }

  void addTensor(std::string name, std::string role, std::string dtype,
                 std::vector<int64_t> shape) {
    Tensor entry;
    entry.name = std::move(name);
    entry.role = std::move(role);
    entry.dtype = std::move(dtype);
    entry.shape = std::move(shape);
    plan.tensors.push_back(std::move(entry));
  }

  void bindTensors() {
    for (BlockArgument argument : layer.getBody().getArguments()) {
      std::string name = layer.getTensorName(argument.getArgNumber()).str();
      if (auto rows = dyn_cast<moe::RowsType>(argument.getType())) {
        Matrix matrix{rows, request.problem->topk};
        addTensor(name, "input", print(rows.getElement()),
                  shapeOf(matrix));
        matrices[argument] = tensor(name, matrix.tokenBytes());
      } else if (auto choice = dyn_cast<moe::TopkType>(argument.getType())) {
        int64_t slots = choice.getSlots().value();
        addTensor(name + "_ids", "input", "i32", {slots});
        addTensor(name + "_weights", "input", "f32", {slots});
        choices[argument] = {tensor(name + "_ids", 4 * slots),
                             tensor(name + "_weights", 4 * slots)};
      } else {
        weightNames[argument] = name;
      }
    }
    for (auto apply : layer.getBody().front().getOps<moe::ApplyOp>())
      addWeights(apply);
    Matrix out{cast<moe::RowsType>(layer.getResultTypes().front()),
               request.problem->topk};
    addTensor("out", "output", print(out.type.getElement()), shapeOf(out));
  }

  static std::vector<int64_t> shapeOf(const Matrix &matrix) {
    int64_t cols = matrix.type.getCols().value();
    if (matrix.type.getSpace() == moe::RowSpace::pair)
      return {matrix.slots, cols};
    return {cols};
  }

  void addWeights(moe::ApplyOp apply) {
    moe::ExpertsType type = apply.getWeights().getType();
    moe::QuantAttr format = type.getFormat();
    Tensor entry;
    entry.name = weightNames.lookup(apply.getWeights());
    entry.role = "weights";
    entry.dtype = request.problem->weights;
    int64_t experts = type.getExperts().value(), n = type.getChannels().value(),
            k = type.getDepth().value();
    entry.shape = {experts, n, k};
    entry.stage = apply.getStage().str();
    entry.layout = kWeightsLayout;
    entry.projections = stageOf(apply).getContract().getNumResults();
    entry.group = format.getGroup();
    entry.scaleType = print(format.getScale());
    entry.bytes = uint64_t(experts) * n * k / 2;
    entry.scaleBytes = uint64_t(experts) * n * tile::groupCount(k, entry.group) * 2;
    plan.tensors.push_back(std::move(entry));
  }

  //===--------------------------------------------------------------------===//
  // Launches
  //===--------------------------------------------------------------------===//

  /// Index of the kernel called `name`, made if need be; serves this bucket.
  uint32_t kernel(PlannedKernel wanted) {
    auto it = llvm::find_if(result.kernels, [&](const PlannedKernel &k) {
      return k.name == wanted.name;
    });
    if (it == result.kernels.end()) {
      result.kernels.push_back(std::move(wanted));
      it = std::prev(result.kernels.end());
    }
    if (it->buckets.empty() || it->buckets.back() != plan.bucket)
      it->buckets.push_back(plan.bucket);
    return it - result.kernels.begin();
  }

  uint32_t support(const std::string &name) {
    PlannedKernel wanted;
    wanted.name = wanted.source = name;
    wanted.support = true;
    return kernel(std::move(wanted));
  }

  void launch(uint32_t kernel, int64_t x, int64_t y, std::vector<Binding> args) {
    Launch entry;
    entry.kernel = kernel;
    entry.grid[0] = x;
    entry.grid[1] = y;
    entry.args = std::move(args);
    plan.launches.push_back(std::move(entry));
  }

  /// Most blocks of rows that a pass can need: every expert with a pair pads
  /// at most kTile - 1 of them.
  int64_t maxBlocks(moe::RoutingType type) {
    int64_t pairs = plan.passTokens * type.getSlots().value();
    return (pairs + (kTile - 1) * std::min(pairs, type.getExperts().value())) / kTile;
  }

  void planRoute(moe::RouteOp route) {
    moe::RoutingType type = route.getRouting().getType();
    int64_t blocks = maxBlocks(type);
    auto [ids, weights] = choices[route.getChoice()];
    RoutingBuffers buffers{workspace(blocks * kTile * 4), workspace(blocks * 4),
                           workspace(8), ids, weights};
    routings[route.getRouting()] = buffers;
    launch(support("route"), 1, 1,
           {ids, buffers.sortedIds, buffers.expertIds, buffers.numValid, tokens(),
            number(type.getSlots().value()), number(type.getExperts().value())});
  }

  FailureOr<tile::ScheduleAttr> scheduleOf(moe::StageOp stage) {
    if (request.schedule.empty())
      return chooseSchedule(stage);
    auto given = dyn_cast_or_null<tile::ScheduleAttr>(
        parseAttribute(request.schedule, stage.getContext()));
    if (given)
      return given;
    stage.emitError() << "'" << request.schedule
                      << "' is not a schedule; expected #tile.schedule<...>";
    return failure();
  }

  /// Readable, and unique over stages' texts, problems and schedules.
  std::string nameOf(moe::StageOp stage, tile::ScheduleAttr schedule) {
    StageShape shape = StageShape::of(stage);
    std::string content = print(stage) + print(Attribute(schedule)) + plan.problem +
                          plan.target;
    return llvm::formatv("{0}.{1}x{2}.m{3}n{4}k{5}.{6}", stage.getSymName(),
                         shape.projections * shape.channels, shape.depth,
                         schedule.getBlockM(), schedule.getBlockN(),
                         schedule.getBlockK(), contentHash(content).substr(0, 8));
  }

  ErrorCode planApply(moe::ApplyOp apply) {
    moe::StageOp stage = stageOf(apply);
    FailureOr<tile::ScheduleAttr> schedule = scheduleOf(stage);
    if (failed(schedule))
      return ErrorCode::Usage;
    if (ErrorCode code = checkSchedule(stage, *schedule, *request.target);
        code != ErrorCode::Ok)
      return code;
    PlannedKernel wanted;
    wanted.name = nameOf(stage, *schedule);
    wanted.source = stage.getSymName().str();
    wanted.schedule = print(Attribute(*schedule));

    moe::RoutingType routing = apply.getRouting().getType();
    Matrix y{stage.getResultRows(), routing.getSlots().value()};
    int64_t channels = y.type.getCols().value();
    bool returned = llvm::any_of(apply->getUsers(), [](Operation *user) {
      return isa<moe::ReturnOp>(user);
    });
    Binding result = returned ? tensor("out", y.tokenBytes())
                              : workspace(plan.passTokens * y.tokenBytes());
    matrices[apply.getResult()] = result;
    uint64_t partialBytes = 4 * routing.getSlots().value() * channels;
    Binding stored = sumsPairs(stage) ? workspace(plan.passTokens * partialBytes)
                                      : result;
    launch(kernel(std::move(wanted)),
           (channels + schedule->getBlockN() - 1) / schedule->getBlockN(),
           maxBlocks(routing), stageArguments(apply, stage, stored));
    if (sumsPairs(stage))
      planCombine(apply, stored, result);
    return ErrorCode::Ok;
  }

  /// In the order of kernelArguments(): the stage's arguments, then the output.
  std::vector<Binding> stageArguments(moe::ApplyOp apply, moe::StageOp stage,
                                      const Binding &stored) {
    std::vector<Binding> args;
    for (Type type : stage.getArgumentTypes()) {
      if (isa<moe::RowsType>(type)) {
        args.push_back(matrices[apply.getX()]);
      } else if (isa<moe::ExpertsType>(type)) {
        std::string name = weightNames[apply.getWeights()];
        args.push_back(tensor(name, 0));
        args.push_back(tensor(name + ".scale", 0));
      } else {
        const RoutingBuffers &routing = routings[apply.getRouting()];
        args.insert(args.end(), {routing.sortedIds, routing.expertIds,
                                 routing.numValid, routing.weights, tokens()});
      }
    }
    args.push_back(stored);
    return args;
  }

  void planCombine(moe::ApplyOp apply, const Binding &partial,
                   const Binding &result) {
    moe::RoutingType routing = apply.getRouting().getType();
    int64_t channels = apply.getResult().getType().getCols().value();
    launch(support("combine"), (channels + 1023) / 1024, plan.passTokens,
           {partial, routings[apply.getRouting()].ids, result, tokens(),
            number(routing.getSlots().value()), number(routing.getExperts().value()),
            number(channels)});
  }

  moe::LayerOp layer;
  const Request &request;
  PlannedLayer &result;
  Plan plan;
  llvm::DenseMap<Value, Binding> matrices;
  llvm::DenseMap<Value, std::pair<Binding, Binding>> choices; ///< ids, weights
  llvm::DenseMap<Value, RoutingBuffers> routings;
  llvm::DenseMap<Value, std::string> weightNames;
};

} // namespace

ErrorCode planLayer(moe::LayerOp layer, const Request &request,
                    PlannedLayer &result) {
  layer.getContext()->loadDialect<tile::TileDialect>();
  for (int64_t bucket : request.buckets)
    if (ErrorCode code = Planner(layer, request, result, bucket).run();
        code != ErrorCode::Ok)
      return code;
  return ErrorCode::Ok;
}

} // namespace moec
