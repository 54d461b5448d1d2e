// Jobs, one after the other or side by side; see kernel_job.h.

#include "compiler/pipeline/kernel_job.h"

#include "compiler/codegen/guard.h"
#include "compiler/codegen/reproducer.h"
#include "compiler/lowering/tile_to_rocdl.h"
#include "compiler/pipeline/modules.h"
#include "compiler/schedule/schedule.h"
#include "compiler/transforms/bind_problem.h"
#include "compiler/transforms/stage_to_tile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace mlir;

namespace moec {
namespace {

/// The module of a job on its way down the ladder.
struct State {
  const KernelJob &job;
  OwningOpRef<ModuleOp> module;
  Operation *op = nullptr; ///< The stage, program or gpu.module at this rung.
};

/// Makes `op` the only operation of the module, a replacement of the present
/// one.
void replaceWith(State &state, Operation *op) {
  if (state.op != op && state.op != state.module->getOperation())
    state.op->erase();
  state.op = op;
}

ErrorCode lowerStage(State &state) {
  auto stage = cast<mlir::moe::StageOp>(state.op);
  auto schedule = dyn_cast_or_null<mlir::tile::ScheduleAttr>(
      parseAttribute(state.job.schedule, stage.getContext()));
  if (!schedule) {
    stage.emitError() << "'" << state.job.schedule
                      << "' is not a schedule; expected #tile.schedule<...>";
    return ErrorCode::Usage;
  }
  OpBuilder builder(stage);
  mlir::tile::ProgramOp program;
  ErrorCode code =
      stageToTile(stage, schedule, *state.job.target, builder, program);
  if (code == ErrorCode::Ok)
    replaceWith(state, program);
  return code;
}

ErrorCode lowerProgram(State &state) {
  auto program = cast<mlir::tile::ProgramOp>(state.op);
  if (program.getTarget() != StringRef(state.job.target->name)) {
    program.emitError() << "is a program for " << program.getTarget()
                        << ", the target is " << state.job.target->name;
    return ErrorCode::Usage;
  }
  OpBuilder builder(program);
  ErrorCode code = tileToRocdl(program, builder);
  if (code == ErrorCode::Ok)
    replaceWith(state, *state.module->getOps<gpu::GPUModuleOp>().begin());
  return code;
}

/// One step of the ladder above code generation. To add a rung, add a row.
struct Step {
  Rung from;
  ErrorCode (*run)(State &);
};
constexpr Step steps[] = {
    {Rung::Stage, lowerStage},
    {Rung::Tile, lowerProgram},
};

/// Parses the job's input and leaves in it only what the job is about.
ErrorCode load(State &state, MLIRContext *context) {
  const KernelJob &job = state.job;
  state.module = parseInput(job.input, context);
  if (!state.module)
    return ErrorCode::Content;
  FailureOr<std::vector<Item>> items = findItems(*state.module);
  if (failed(items))
    return ErrorCode::Content;
  for (const Item &item : *items)
    if (item.rung == job.from && item.kind != Item::Kind::Layer &&
        (job.symbol.empty() || item.name == job.symbol))
      state.op = item.op;
  if (!state.op) {
    state.module->emitError() << "no '" << rungName(job.from) << "' @"
                              << job.symbol << " in this input";
    return ErrorCode::Internal;
  }
  for (const Item &item : *items)
    if (item.op != state.op)
      item.op->erase();
  if (job.from == Rung::Stage && job.problem)
    return bindProblem(*state.module, *job.problem);
  return ErrorCode::Ok;
}

/// A schedule that does not fit the registers still compiles, to code that
/// nobody wants: refused, unless its text was asked for or it was written by
/// hand below the rung `tile`.
ErrorCode checkSpills(State &state, const KernelResult &result) {
  if (state.job.from > Rung::Tile)
    return ErrorCode::Ok;
  for (const KernelInfo &kernel : result.kernels) {
    if (!kernel.vgprSpills && !kernel.scratchBytes)
      continue;
    state.module->emitError() << "the schedule does not fit the registers of "
                              << state.job.target->name << ": kernel " << kernel.name
                              << " spills " << kernel.vgprSpills
                              << " of them and uses " << kernel.scratchBytes
                              << " bytes of scratch; reduce block_n or prefetch, "
                                 "or use more waves";
    return ErrorCode::Unsupported;
  }
  return ErrorCode::Ok;
}

/// Generates code from the rung `rocdl` or `llvm`.
ErrorCode generate(State &state, KernelResult &result) {
  const KernelJob &job = state.job;
  CodegenOptions options;
  options.chip = job.target->name;
  options.features = job.target->features;
  options.name = job.name;
  options.rung = job.emit == Rung::Llvm  ? CodeRung::Llvm
                 : job.emit == Rung::Asm ? CodeRung::Asm
                                         : CodeRung::Hsaco;
  CodeObject code;
  CodegenFailure failure;
  bool ok = succeeded(generateCode(*state.module, options, code, failure));
  result.msPasses += code.msPasses;
  result.msLlvm = code.msLlvm;
  result.msLink = code.msLink;
  result.reproducer = failure.reproducer;
  if (!ok)
    return ErrorCode(failure.status);
  result.kernels = std::move(code.kernels);
  result.output = std::move(job.emit == Rung::Llvm  ? code.llvmText
                            : job.emit == Rung::Asm ? code.asmText
                                                    : code.hsaco);
  return checkSpills(state, result);
}

double millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - start)
      .count();
}

/// Everything of a job but the guard around it.
ErrorCode descend(State &state, MLIRContext *context, KernelResult &result) {
  if (ErrorCode code = load(state, context); code != ErrorCode::Ok)
    return code;
  auto start = std::chrono::steady_clock::now();
  Rung rung = state.job.from;
  for (const Step &step : steps) {
    if (step.from != rung || rung == state.job.emit)
      continue;
    if (ErrorCode code = step.run(state); code != ErrorCode::Ok)
      return code;
    rung = Rung(int(rung) + 1);
  }
  result.msPasses = millisecondsSince(start);
  if (rung != state.job.emit)
    return generate(state, result);
  llvm::raw_string_ostream stream(result.output);
  state.module->print(stream);
  stream << "\n";
  return ErrorCode::Ok;
}

} // namespace

KernelResult runJob(const KernelJob &job) {
  auto start = std::chrono::steady_clock::now();
  KernelResult result;
  std::unique_ptr<MLIRContext> context = makeContext();
  auto state = std::make_unique<State>(State{job, nullptr});
  auto collector =
      std::make_unique<DiagnosticCollector>(context.get(), result.diagnostics);
  std::string why = runGuarded(
      [&] { result.status = descend(*state, context.get(), result); });
  if (!why.empty() || result.status == ErrorCode::Internal) {
    // Whatever crashed may hold locks or half-built state: leak it all.
    (void)collector.release();
    (void)state.release();
    (void)context.release();
  }
  if (!why.empty()) {
    result.status = ErrorCode::Internal;
    result.diagnostics.push_back(
        {"error", job.input.name, 0, 0,
         "internal error while compiling '" + job.name + "': " + why});
    result.reproducer = writeReproducer(job.input.text, job.name,
                                        std::string(job.target->name), why, "");
  }
  result.msTotal = millisecondsSince(start);
  return result;
}

std::vector<KernelResult> runJobs(const std::vector<KernelJob> &jobs) {
  std::vector<KernelResult> results(jobs.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < jobs.size();)
      results[i] = runJob(jobs[i]);
  };
  size_t count = std::min<size_t>(
      jobs.size(), std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (size_t i = 1; i < count; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

} // namespace moec
