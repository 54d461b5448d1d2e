// From requests to outcomes; see compile.h.

#include "compiler/pipeline/compile.h"

#include "compiler/codegen/guard.h"
#include "compiler/pipeline/build_id.h"
#include "compiler/pipeline/kernel_job.h"
#include "compiler/pipeline/kernel_library.h"
#include "compiler/pipeline/layer_module.h"
#include "compiler/pipeline/modules.h"
#include "compiler/pipeline/plan.h"
#include "compiler/transforms/bind_problem.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

using namespace mlir;

namespace moec {
namespace {

std::string printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text + "\n";
}

/// One request on its way to an outcome.
class Server {
public:
  Server(const Request &request, MLIRContext *context, Outcome &outcome)
      : request(request), context(context), outcome(outcome) {}

  /// What runs under the guard: everything that touches MLIR on this thread.
  /// Leaves jobs to be run, or the data of the outcome.
  ErrorCode prepare() {
    if (request.op == Request::Op::Describe)
      return describe();
    Expected<Rung> rung = inputRung();
    if (!rung)
      return fail(rung.status());
    if (*rung == Rung::Stage)
      return prepareLayer();
    return prepareLowerRungs();
  }

  /// Runs the jobs and puts the outcome's data together.
  ErrorCode finish() {
    if (jobs.empty())
      return ErrorCode::Ok;
    if (request.emit == Rung::Hsaco && jobs.size() > 1)
      return fail(Status(ErrorCode::Usage,
                         "emit=hsaco makes one code object, and this request "
                         "has " +
                             std::to_string(jobs.size()) +
                             " kernels: " + jobNames() +
                             "; give one stage, or emit a bundle"));
    std::vector<KernelResult> results = runJobs(jobs);
    ErrorCode code = report(results);
    if (code != ErrorCode::Ok)
      return code;
    if (request.emit != Rung::Bundle) {
      for (size_t i = 0; i < jobs.size(); ++i)
        outcome.data += header(jobs[i]) + results[i].output;
      return ErrorCode::Ok;
    }
    for (size_t i = 0; i < jobs.size(); ++i)
      if (code = addToBundle(i, results[i]); code != ErrorCode::Ok)
        return code;
    bundle.producer = compilerBuildId();
    bundle.target = request.target->name;
    outcome.data = writeBundle(bundle);
    return ErrorCode::Ok;
  }

private:
  ErrorCode fail(const Status &status) {
    outcome.diagnostics.push_back(plainError(status.message()));
    return status.code();
  }

  /// The rung of the inputs, which must be of one rung.
  Expected<Rung> inputRung() {
    std::optional<Rung> found;
    for (const Input &input : request.inputs) {
      auto module = parseInput(input, context, /*verify=*/false);
      FailureOr<std::vector<Item>> items =
          module ? findItems(*module) : FailureOr<std::vector<Item>>();
      if (failed(items))
        return Status(ErrorCode::Content,
                      "input '" + input.name + "' cannot be read");
      if (items->empty())
        return Status(ErrorCode::Content,
                      "input '" + input.name + "' holds nothing to compile");
      for (const Item &item : *items) {
        if (found && *found != item.rung)
          return Status(ErrorCode::Content,
                        "inputs are of the rungs '" +
                            std::string(rungName(*found)) + "' and '" +
                            std::string(rungName(item.rung)) +
                            "'; give inputs of one rung");
        found = item.rung;
      }
    }
    Rung rung = found.value_or(Rung::Stage);
    if (request.from && *request.from != rung)
      return Status(ErrorCode::Usage,
                    "from=" + std::string(rungName(*request.from)) +
                        ", but the inputs are of the rung '" +
                        std::string(rungName(rung)) + "'");
    if (request.emit < rung)
      return Status(ErrorCode::Usage,
                    "emit=" + std::string(rungName(request.emit)) +
                        " lies above the inputs, which are of the rung '" +
                        std::string(rungName(rung)) + "'");
    return rung;
  }

  ErrorCode describe() {
    OwningOpRef<ModuleOp> all = ModuleOp::create(UnknownLoc::get(context));
    for (const Input &input : request.inputs) {
      auto module = parseInput(input, context, /*verify=*/false);
      if (!module)
        return ErrorCode::Content;
      for (auto stage : module->getOps<mlir::moe::StageOp>()) {
        if (failed(verify(stage)))
          return ErrorCode::Content;
        all->push_back(stage->clone());
      }
    }
    outcome.data = describeStages(*all);
    return ErrorCode::Ok;
  }

  /// Jobs and plans of a layer or of stages of one.
  ErrorCode prepareLayer() {
    if (!request.problem)
      return fail(Status(ErrorCode::Usage,
                         "stages and layers need a problem that binds their "
                         "sizes (H, I, E, K); give one with \"problem\""));
    if (Status status = requireProblem(*request.problem); !status.ok())
      return fail(status);
    LayerModule assembled;
    if (ErrorCode code = assembleLayer(request, context, assembled);
        code != ErrorCode::Ok)
      return code;
    std::string text = printModule(*assembled.module);
    if (request.emit == Rung::Stage) {
      outcome.data = text;
      return ErrorCode::Ok;
    }
    bundle.texts.push_back({"layer", assembled.layer, text});
    if (ErrorCode code = bindProblem(*assembled.module, *request.problem);
        code != ErrorCode::Ok)
      return code;
    if (failed(verify(*assembled.module)))
      return ErrorCode::Content;
    auto layer = cast<mlir::moe::LayerOp>(
        SymbolTable::lookupSymbolIn(*assembled.module, assembled.layer));
    if (ErrorCode code = planLayer(layer, request, planned);
        code != ErrorCode::Ok)
      return code;
    bundle.plans = planned.plans;
    for (const PlannedKernel &kernel : planned.kernels)
      addLayerJob(kernel, assembled);
    return ErrorCode::Ok;
  }

  /// Texts are of what was asked about: the stages of the inputs, if there are
  /// inputs. A bundle is of the whole layer.
  void addLayerJob(const PlannedKernel &kernel, const LayerModule &assembled) {
    KernelJob job;
    job.name = kernel.name;
    job.target = request.target;
    job.emit = request.emit == Rung::Bundle ? Rung::Hsaco : request.emit;
    if (kernel.support) {
      if (request.emit != Rung::Bundle && !request.inputs.empty())
        return;
      if (job.emit < Rung::Rocdl)
        return;
      job.from = Rung::Rocdl;
      job.input = {"kernels/support/" + kernel.source + ".mlir",
                   std::string(embeddedKernel("support", kernel.source))};
    } else {
      job.from = Rung::Stage;
      job.symbol = kernel.source;
      job.schedule = kernel.schedule;
      job.problem = request.problem;
      job.input = assembled.sources.at(kernel.source);
      bool asked = request.inputs.empty() || !request.standalone.empty() ||
                   llvm::any_of(request.inputs, [&](const Input &input) {
                     return input.name == job.input.name;
                   });
      if (request.emit != Rung::Bundle && !asked)
        return;
    }
    jobs.push_back(std::move(job));
  }

  ErrorCode prepareLowerRungs() {
    if (!request.schedule.empty() || !request.standalone.empty())
      return fail(Status(ErrorCode::Usage,
                         "a schedule or a stage's name is for inputs of the "
                         "rung 'stage'; these are below it"));
    for (const Input &input : request.inputs) {
      auto module = parseInput(input, context);
      if (!module)
        return ErrorCode::Content;
      FailureOr<std::vector<Item>> items = findItems(*module);
      if (failed(items))
        return ErrorCode::Content;
      for (const Item &item : *items) {
        KernelJob job;
        job.name = item.name.empty() ? input.name : item.name;
        job.input = input;
        job.from = item.rung;
        job.symbol = item.name;
        job.target = request.target;
        job.emit = request.emit == Rung::Bundle ? Rung::Hsaco : request.emit;
        jobs.push_back(std::move(job));
      }
    }
    return ErrorCode::Ok;
  }

  /// Moves diagnostics and times to the outcome; the first bad status.
  ErrorCode report(std::vector<KernelResult> &results) {
    ErrorCode code = ErrorCode::Ok;
    for (size_t i = 0; i < results.size(); ++i) {
      KernelResult &result = results[i];
      for (Diagnostic &diagnostic : result.diagnostics)
        outcome.diagnostics.push_back(std::move(diagnostic));
      outcome.stats.push_back({jobs[i].name, result.msTotal, result.msPasses,
                               result.msLlvm, result.msLink});
      if (code == ErrorCode::Ok)
        code = result.status;
      if (outcome.reproducer.empty())
        outcome.reproducer = result.reproducer;
    }
    return code;
  }

  std::string jobNames() const {
    std::string names;
    for (const KernelJob &job : jobs)
      names += (names.empty() ? "" : ", ") + job.name;
    return names;
  }

  /// What stands above one of several printed kernels.
  std::string header(const KernelJob &job) const {
    if (request.emit == Rung::Hsaco)
      return {};
    return (request.emit == Rung::Asm ? "; " : "// ") + job.name + " for " +
           std::string(request.target->name) +
           (job.schedule.empty() ? "" : ", " + job.schedule) + "\n";
  }

  uint32_t addCode(const std::string &bytes) {
    std::string hash = contentHash(bytes);
    for (size_t i = 0; i < bundle.code.size(); ++i)
      if (bundle.code[i].hash == hash)
        return uint32_t(i);
    bundle.code.push_back({hash, bytes});
    return uint32_t(bundle.code.size() - 1);
  }

  ErrorCode addToBundle(size_t index, const KernelResult &result) {
    const KernelJob &job = jobs[index];
    bool isPlanned = index < planned.kernels.size();
    if (isPlanned && result.kernels.size() != 1)
      return fail(Status(ErrorCode::Internal,
                         job.input.name + ": expected one kernel, found " +
                             std::to_string(result.kernels.size())));
    uint32_t code = addCode(result.output);
    for (const KernelInfo &info : result.kernels) {
      Kernel kernel = describeKernel(info, code);
      kernel.stage = info.name;
      kernel.name = info.name;
      if (isPlanned) {
        const PlannedKernel &plan = planned.kernels[index];
        kernel.name = plan.name;
        kernel.stage = plan.source;
        kernel.schedule = plan.schedule;
        kernel.buckets = plan.buckets;
        if (!plan.support)
          kernel.problem = request.problem->canonical();
      }
      if (!kernelNames.insert(kernel.name).second)
        return fail(Status(ErrorCode::Content,
                           "two kernels are called '" + kernel.name + "'"));
      if (!info.block[0])
        return fail(Status(ErrorCode::Content,
                           job.input.name + ": kernel '" + info.name +
                               "' needs a known_block_size, which its launch "
                               "takes the block from"));
      bundle.kernels.push_back(std::move(kernel));
    }
    return ErrorCode::Ok;
  }

  Kernel describeKernel(const KernelInfo &info, uint32_t code) const {
    Kernel kernel;
    kernel.symbol = info.name;
    kernel.target = request.target->name;
    for (const KernelArgInfo &arg : info.args)
      kernel.args.push_back({arg.name, arg.offset, arg.size});
    kernel.kernargBytes = info.kernargBytes;
    std::copy(std::begin(info.block), std::end(info.block), kernel.block);
    kernel.vgpr = info.vgpr;
    kernel.agpr = info.agpr;
    kernel.sgpr = info.sgpr;
    kernel.vgprSpills = info.vgprSpills;
    kernel.sgprSpills = info.sgprSpills;
    kernel.ldsBytes = info.ldsBytes;
    kernel.scratchBytes = info.scratchBytes;
    kernel.wavesPerSimd = uint32_t(request.target->wavesPerSimd(
        int(info.vgpr), info.ldsBytes,
        int(info.block[0] * info.block[1] * info.block[2])));
    kernel.code = code;
    return kernel;
  }

  const Request &request;
  MLIRContext *context;
  Outcome &outcome;
  PlannedLayer planned; ///< Empty for lower rungs.
  std::vector<KernelJob> jobs;
  Bundle bundle;
  std::set<std::string> kernelNames;
};

std::string targetsJson() {
  nlohmann::json list = nlohmann::json::array();
  for (const Target &target : targets()) {
    nlohmann::json matrix = nlohmann::json::array();
    for (const MatrixInstruction &instruction : target.matrix)
      matrix.push_back({{"element", instruction.element},
                        {"m", instruction.m},
                        {"n", instruction.n},
                        {"k", instruction.k},
                        {"op", instruction.rocdlOp}});
    list.push_back({{"name", target.name},
                    {"device", target.device},
                    {"triple", target.triple},
                    {"wave_lanes", target.waveLanes},
                    {"compute_units", target.computeUnits},
                    {"xcds", target.xcds},
                    {"simds_per_cu", target.simdsPerCu},
                    {"max_waves_per_simd", target.maxWavesPerSimd},
                    {"vgprs", target.maxVgprs},
                    {"lds_bytes", target.ldsBytes},
                    {"max_workgroup", target.maxWorkgroup},
                    {"fp8", target.fp8},
                    {"matrix", matrix}});
  }
  return list.dump();
}

} // namespace

Outcome serve(const Request &request) {
  Outcome outcome;
  if (request.op == Request::Op::Targets) {
    outcome.data = targetsJson();
    return outcome;
  }
  std::unique_ptr<MLIRContext> context = makeContext();
  auto server = std::make_unique<Server>(request, context.get(), outcome);
  auto collector =
      std::make_unique<DiagnosticCollector>(context.get(), outcome.diagnostics);
  std::string why = runGuarded([&] { outcome.status = server->prepare(); });
  if (!why.empty()) {
    // Whatever crashed may hold locks or half-built state: leak it all.
    (void)collector.release();
    (void)server.release();
    (void)context.release();
    outcome.status = ErrorCode::Internal;
    outcome.diagnostics.push_back(
        plainError("internal error while preparing the request: " + why));
    return outcome;
  }
  if (outcome.status == ErrorCode::Ok)
    outcome.status = server->finish();
  if (outcome.status != ErrorCode::Ok)
    outcome.data.clear();
  return outcome;
}

} // namespace moec
