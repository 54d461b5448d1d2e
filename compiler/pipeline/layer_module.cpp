// Selection of layers and stages; see layer_module.h.

#include "compiler/pipeline/layer_module.h"

#include "compiler/pipeline/kernel_library.h"
#include "compiler/pipeline/modules.h"
#include "dialects/moe/Moe.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

#include <nlohmann/json.hpp>

#include <set>

using namespace mlir;
using mlir::moe::ApplyOp;
using mlir::moe::LayerOp;
using mlir::moe::StageOp;

namespace moec {
namespace {

/// Does `layer` serve the problem whose fields are `fields`? Entries of
/// `serves` are strings, integers or booleans under the problem's own keys.
bool serves(LayerOp layer, const nlohmann::json &fields) {
  DictionaryAttr wanted = layer.getServesAttr();
  if (!wanted)
    return false;
  return llvm::all_of(wanted, [&](NamedAttribute entry) {
    auto it = fields.find(entry.getName().str());
    if (it == fields.end())
      return false;
    if (auto text = dyn_cast<StringAttr>(entry.getValue()))
      return it->is_string() && it->get<std::string>() == text.str();
    if (auto flag = dyn_cast<BoolAttr>(entry.getValue()))
      return it->is_boolean() && it->get<bool>() == flag.getValue();
    if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
      return it->is_number_integer() && it->get<int64_t>() == number.getInt();
    return false;
  });
}

class Assembler {
public:
  Assembler(const Request &request, MLIRContext *context, LayerModule &result)
      : request(request), context(context), result(result),
        standalone(request.standalone) {}

  ErrorCode run() {
    result.module = ModuleOp::create(UnknownLoc::get(context));
    for (const Input &input : request.inputs)
      if (ErrorCode code = addInput(input); code != ErrorCode::Ok)
        return code;
    // A stage alone needs the layer only for the name of its weights.
    if (ErrorCode code = pickLayer(); code != ErrorCode::Ok)
      return code;
    if (ErrorCode code = settleUnused(); code != ErrorCode::Ok)
      return code;
    if (!standalone.empty())
      return assembleStandalone();
    result.layer = layer.getSymName().str();
    if (ErrorCode code = addStagesOf(layer); code != ErrorCode::Ok)
      return code;
    result.module->push_back(layer->clone());
    return check();
  }

private:
  ErrorCode addInput(const Input &input) {
    OwningOpRef<ModuleOp> module = parse(input);
    if (!module)
      return ErrorCode::Content;
    FailureOr<std::vector<Item>> items = findItems(*module);
    if (failed(items))
      return ErrorCode::Content;
    for (const Item &item : *items) {
      // Each by itself: a layer's stages may be in another input.
      if (failed(verify(item.op)))
        return ErrorCode::Content;
      if (item.kind == Item::Kind::Stage &&
          !stages.emplace(item.name, std::pair(item.op, input)).second) {
        item.op->emitError()
            << "stage @" << item.name << " is defined by two inputs";
        return ErrorCode::Content;
      }
      if (item.kind == Item::Kind::Layer && layer) {
        item.op->emitError()
            << "a second layer, @" << item.name
            << ": a request compiles one; the first is @" << layer.getSymName();
        return ErrorCode::Content;
      }
      if (item.kind == Item::Kind::Layer) {
        layer = cast<LayerOp>(item.op);
        layerGiven = true;
      }
    }
    keep.push_back(std::move(module));
    return ErrorCode::Ok;
  }

  /// Layers refer to stages of other files, so that only whole modules verify.
  OwningOpRef<ModuleOp> parse(const Input &input) {
    return parseInput(input, context, /*verify=*/false);
  }

  ErrorCode pickLayer() {
    if (layer)
      return ErrorCode::Ok;
    auto fields = nlohmann::json::parse(request.problem->canonical());
    std::string known;
    for (const EmbeddedKernel &kernel : embeddedKernels()) {
      if (kernel.kind != "layers")
        continue;
      OwningOpRef<ModuleOp> module = parse(embedded(kernel));
      if (!module)
        return ErrorCode::Internal;
      for (LayerOp candidate : module->getOps<LayerOp>()) {
        if (serves(candidate, fields)) {
          layer = candidate;
          keep.push_back(std::move(module));
          return ErrorCode::Ok;
        }
        known += (known.empty() ? "@" : ", @") + candidate.getSymName().str();
      }
    }
    if (!standalone.empty() || stages.size() == 1)
      return ErrorCode::Ok; // No layer is needed.
    emitError(UnknownLoc::get(context))
        << "no layer serves the problem " << request.problem->canonical()
        << "; known layers: " << known << "; give one as an input";
    return ErrorCode::Unsupported;
  }

  /// Nothing given is silently left out: a single stage that the layer does not
  /// apply is compiled alone, several are an error.
  ErrorCode settleUnused() {
    if (!standalone.empty())
      return ErrorCode::Ok;
    std::set<StringRef> applied;
    if (layer)
      layer.walk([&](ApplyOp apply) { applied.insert(apply.getStage()); });
    for (auto &[name, stage] : stages) {
      if (applied.count(name))
        continue;
      if (stages.size() == 1 && !layerGiven) {
        standalone = name;
        return ErrorCode::Ok;
      }
      stage.first->emitError()
          << "stage @" << name << " is not applied by the layer @"
          << layer.getSymName()
          << "; give it alone, or with a layer that applies it";
      return ErrorCode::Usage;
    }
    return ErrorCode::Ok;
  }

  static Input embedded(const EmbeddedKernel &kernel) {
    return {"kernels/" + std::string(kernel.kind) + "/" +
                std::string(kernel.name) + ".mlir",
            std::string(kernel.text)};
  }

  /// Copies the stage `name` into the result, from an input or the library.
  ErrorCode addStage(StringRef name, Location user) {
    if (result.sources.count(name.str()))
      return ErrorCode::Ok;
    auto it = stages.find(name.str());
    if (it == stages.end()) {
      for (const EmbeddedKernel &kernel : embeddedKernels()) {
        if (kernel.kind != "stages")
          continue;
        Input input = embedded(kernel);
        OwningOpRef<ModuleOp> module = parse(input);
        if (!module)
          return ErrorCode::Internal;
        for (StageOp stage : module->getOps<StageOp>())
          stages.emplace(stage.getSymName().str(),
                         std::pair(stage.getOperation(), input));
        keep.push_back(std::move(module));
      }
      it = stages.find(name.str());
    }
    if (it == stages.end()) {
      InFlightDiagnostic diagnostic = emitError(user) << "unknown stage @"
                                                      << name << "; known: ";
      llvm::interleaveComma(stages, diagnostic, [&](auto &entry) {
        diagnostic << "@" << entry.first;
      });
      return ErrorCode::Usage;
    }
    result.sources.emplace(name.str(), it->second.second);
    result.module->push_back(it->second.first->clone());
    return ErrorCode::Ok;
  }

  ErrorCode addStagesOf(LayerOp user) {
    ErrorCode code = ErrorCode::Ok;
    user.walk([&](ApplyOp apply) {
      if (code == ErrorCode::Ok)
        code = addStage(apply.getStage(), apply.getLoc());
    });
    return code;
  }

  /// The name by which `layer` knows the weights of `stage`.
  StringRef weightsName(StringRef stage) {
    StringRef name = "w";
    if (layer)
      layer.walk([&](ApplyOp apply) {
        auto argument = dyn_cast<BlockArgument>(apply.getWeights());
        if (apply.getStage() == stage && argument)
          name = layer.getTensorName(argument.getArgNumber());
      });
    return name;
  }

  ErrorCode assembleStandalone() {
    Location unknown = UnknownLoc::get(context);
    ErrorCode code = addStage(standalone, unknown);
    if (code != ErrorCode::Ok)
      return code;
    auto stage =
        cast<StageOp>(SymbolTable::lookupSymbolIn(*result.module, standalone));
    auto contract = stage.getContract();
    auto routing = contract.getRouting().getType();
    auto choice = mlir::moe::TopkType::get(context, routing.getSlots(),
                                           routing.getExperts());
    Type x = contract.getX().getType(), w = contract.getWeights().getType();

    result.layer = standalone + "_alone";
    OpBuilder builder = OpBuilder::atBlockEnd(result.module->getBody());
    auto named = [&](StringRef name) {
      return builder.getDictionaryAttr(builder.getNamedAttr(
          mlir::moe::kTensorAttr, builder.getStringAttr(name)));
    };
    OperationState state(stage.getLoc(), LayerOp::getOperationName());
    state.addAttribute("sym_name", builder.getStringAttr(result.layer));
    state.addAttribute("function_type",
                       TypeAttr::get(builder.getFunctionType(
                           {x, choice, w}, {stage.getResultRows()})));
    state.addAttribute("arg_attrs",
                       builder.getArrayAttr({named("x"), named("topk"),
                                             named(weightsName(standalone))}));
    Block *body = &state.addRegion()->emplaceBlock();
    body->addArguments({x, choice, w}, {unknown, unknown, unknown});
    builder.create(state);
    builder.setInsertionPointToEnd(body);
    Value route = mlir::moe::RouteOp::create(builder, unknown, routing,
                                             body->getArgument(1));
    Value y =
        ApplyOp::create(builder, unknown, stage.getResultRows(),
                        FlatSymbolRefAttr::get(context, standalone),
                        body->getArgument(0), body->getArgument(2), route);
    mlir::moe::ReturnOp::create(builder, unknown, y);
    return check();
  }

  ErrorCode check() {
    return succeeded(verify(*result.module)) ? ErrorCode::Ok
                                             : ErrorCode::Content;
  }

  const Request &request;
  MLIRContext *context;
  LayerModule &result;
  std::string standalone; ///< Stage to compile alone, "" for a whole layer.
  LayerOp layer;
  bool layerGiven = false; ///< By an input.
  std::map<std::string, std::pair<Operation *, Input>> stages;
  std::vector<OwningOpRef<ModuleOp>> keep; ///< Owns what `stages` points to.
};

} // namespace

ErrorCode assembleLayer(const Request &request, MLIRContext *context,
                        LayerModule &result) {
  return Assembler(request, context, result).run();
}

} // namespace moec
