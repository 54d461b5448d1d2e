// moec run: one whole layer on a device, compared with the reference.
//
// Without --check the compiler is not opened, so no LLVM is mapped; with a
// bundle nothing is compiled at all.
#include "tools/moec/command.h"

#include "tools/moec/comparison.h"
#include "tools/moec/layer.h"
#include "tools/moec/problems.h"
#include "tools/moec/reference.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <set>

namespace moec::tool {
namespace {

struct Options {
  std::string problem, target, tokens = "16", device = "sim", bundle;
  std::string routing = "uniform";
  std::string seed;
  bool check = false, json = false, verbose = false;
};

/// What one run for M tokens gave.
struct Outcome {
  int64_t tokens = 0;
  double seconds = 0, secondsReference = 0;
  std::optional<Comparison> comparison;
};

/// Reads the bundle, which must hold the problem and as many tokens.
Expected<Bundle> readBundleFor(const Options &options,
                               const NamedProblem &named, int64_t tokens) {
  Expected<Bundle> bundle = readBundleFile(options.bundle);
  if (!bundle)
    return bundle;
  if (bundle->plans.empty())
    return Status(ErrorCode::Unsupported,
                  fmt::format("{} holds kernels but no launch plan; compile "
                              "stages or a layer, not a tile program",
                              options.bundle));
  std::string canonical = named.problem.canonical();
  std::set<std::string> problems;
  int64_t most = -1;
  for (const Plan &plan : bundle->plans) {
    problems.insert(problemLabel(plan.problem));
    if (plan.problem == canonical)
      most = std::max(most, plan.bucket);
  }
  if (most < 0)
    return Status(
        ErrorCode::Unsupported,
        fmt::format("{} has no plan for problem {}; it has plans for {}",
                    options.bundle, problemLabel(canonical),
                    fmt::join(problems, ", ")));
  if (most < tokens)
    return Status(ErrorCode::Unsupported,
                  fmt::format("{} has plans for up to {} tokens, asked for {}; "
                              "compile it with a bucket of at least {}",
                              options.bundle, most, tokens, tokens));
  return bundle;
}

/// The text of the layer for the check: the bundle's, else the compiler's.
Expected<std::string> textForCheck(const CompilerLibrary &compiler,
                                   const Bundle *bundle, const Problem &problem,
                                   const std::string &target) {
  if (bundle)
    return layerText(*bundle, planName(*bundle, problem));
  CompilerReply reply =
      compiler.invoke({{"op", "compile"},
                       {"emit", "stage"},
                       {"target", target},
                       {"problem", Json::parse(problem.canonical())}});
  if (int code = reportReply(reply))
    return Status(ErrorCode(code), "no stage text for the check (see above)");
  return std::move(reply.data);
}

Expected<Reference> openReference(const Bundle *bundle, const Problem &problem,
                                  const Layer &layer, uint64_t seed) {
  Expected<CompilerLibrary> compiler = CompilerLibrary::open();
  if (!compiler)
    return compiler.status();
  Expected<std::string> text =
      textForCheck(*compiler, bundle, problem, layer.target());
  if (!text)
    return text.status();
  return Reference(compiler.take(), text.take(), problem, layer.tensors(),
                   seed);
}

void printOutcome(const Options &options, const Layer &layer, uint64_t seed,
                  const Outcome &outcome) {
  const auto &comparison = outcome.comparison;
  if (options.json) {
    OrderedJson row = {{"problem", options.problem},
                       {"target", layer.target()},
                       {"device", options.device},
                       {"tokens", outcome.tokens},
                       {"seed", seed},
                       {"rel_l2", nullptr},
                       {"worst_row_rel_l2", nullptr},
                       {"worst_row", nullptr},
                       {"passed", nullptr}};
    if (comparison) {
      row["rel_l2"] = comparison->relL2;
      row["worst_row_rel_l2"] = comparison->worstRowRelL2;
      row["worst_row"] = comparison->worstRow;
      row["passed"] = comparison->passed;
    }
    row["seconds"] = outcome.seconds;
    if (comparison) {
      row["seconds_reference"] = outcome.secondsReference;
      row["expected_rms"] = comparison->expectedRms;
    }
    row["routing"] = options.routing;
    row["hip_library"] = layer.hipLibrary();
    printJson(row);
    return;
  }
  std::string line = fmt::format("{} {} tokens={}", options.problem,
                                 layer.target(), outcome.tokens);
  if (comparison)
    line +=
        fmt::format(": {}, relative L2 {:.2e}, worst row {:.2e} (row {}), "
                    "bound {:.0e}, rms {:.3g}",
                    comparison->passed ? "passed" : "FAILED", comparison->relL2,
                    comparison->worstRowRelL2, comparison->worstRow,
                    relativeBound, comparison->expectedRms);
  else
    line += ": ran, not checked";
  line += fmt::format("; {:.2f} s on {}", outcome.seconds,
                      options.device == "sim" ? "the simulator" : "the device");
  if (comparison)
    line += fmt::format(", {:.2f} s reference", outcome.secondsReference);
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

Expected<Outcome> runOnce(const Layer &layer, const Reference *reference,
                          const Problem &problem, const Draw &draw) {
  Expected<Operands> operands = makeOperands(layer.tensors(), problem, draw);
  if (!operands)
    return operands.status();
  Expected<LayerResult> result = layer.run(*operands);
  if (!result)
    return result.status().withContext(fmt::format("tokens={}", draw.tokens));
  Outcome outcome;
  outcome.tokens = draw.tokens;
  outcome.seconds = result->seconds;
  if (!reference)
    return outcome;
  auto started = std::chrono::steady_clock::now();
  Expected<std::vector<float>> expected = reference->run(*operands);
  if (!expected)
    return expected.status();
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - started;
  outcome.secondsReference = elapsed.count();
  size_t columns = size_t(layer.output().shape.back());
  outcome.comparison = compare(result->values, *expected, columns, {});
  if (operands->routing.anyValid(problem.experts))
    requireNonzero(*outcome.comparison);
  return outcome;
}

/// The shared libraries of this process, from /proc/self/maps.
void logMappedLibraries() {
  std::set<std::string> libraries;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    size_t slash = line.find('/');
    if (slash != std::string::npos && line.find(".so") != std::string::npos)
      libraries.insert(line.substr(slash));
  }
  spdlog::debug("mapped libraries:");
  for (const std::string &library : libraries)
    spdlog::debug("  {}", library);
}

/// Everything of the command line, resolved.
struct Job {
  NamedProblem named;
  std::vector<int64_t> tokens;
  const RoutingKind *routing = nullptr;
  uint64_t seed = 0;
  std::optional<Bundle> bundle;
};

Expected<Job> makeJob(const Options &options) {
  Job job;
  Expected<std::vector<int64_t>> tokens =
      parseNumbers(options.tokens, "--tokens", /*zero=*/true);
  if (!tokens)
    return tokens.status();
  job.tokens = tokens.take();
  if (Status s = checkDevice(options.device); !s.ok())
    return s;
  Expected<const RoutingKind *> routing = findRoutingKind(options.routing);
  if (!routing)
    return routing.status();
  job.routing = *routing;
  Expected<NamedProblem> named = resolveProblem(options.problem);
  if (!named)
    return named.status();
  job.named = named.take();
  if (Status s = requireProblem(job.named.problem); !s.ok())
    return s;
  if (!options.bundle.empty()) {
    int64_t most = *std::max_element(job.tokens.begin(), job.tokens.end());
    Expected<Bundle> bundle = readBundleFor(options, job.named, most);
    if (!bundle)
      return bundle.status();
    job.bundle = bundle.take();
  }
  Expected<uint64_t> seed = parseSeed(options.seed);
  if (!seed)
    return seed.status();
  job.seed = *seed;
  return job;
}

/// The command that repeats one run.
std::string rerun(const Options &options, const Job &job, int64_t tokens) {
  // What stdin gave is gone.
  std::string problem = options.problem == "-" ? job.named.problem.canonical()
                                               : options.problem;
  std::string command = fmt::format(
      "moec run --problem={} --tokens={} --routing={} --seed={} --device={}",
      shellQuote(problem), tokens, options.routing, job.seed, options.device);
  if (!options.target.empty())
    command += " --target=" + shellQuote(options.target);
  if (!options.bundle.empty())
    command += " --bundle=" + shellQuote(options.bundle);
  return command + " --check";
}

/// Runs every count of tokens; the exit code.
int runAll(const Options &options, const Job &job, const Layer &layer,
           const Reference *reference) {
  int code = 0;
  for (int64_t count : job.tokens) {
    Expected<Outcome> outcome = runOnce(layer, reference, job.named.problem,
                                        {job.seed, count, job.routing});
    if (!outcome)
      return report(outcome.status());
    printOutcome(options, layer, job.seed, *outcome);
    if (!outcome->comparison || outcome->comparison->passed)
      continue;
    code = int(ErrorCode::Content);
    spdlog::error("moec: error: tokens={}: {}\n  rerun: {}", count,
                  outcome->comparison->firstWrong, rerun(options, job, count));
  }
  return code;
}

int run(const Options &options) {
  Expected<Job> job = makeJob(options);
  if (!job)
    return report(job.status());
  spdlog::info("seed {} ({} routing); rerun with --seed={}", job->seed,
               job->routing->name, job->seed);
  LayerOptions opened;
  opened.device = options.device;
  // The simulator becomes what the kernels are for; a GPU is what it is.
  opened.target = options.target;
  if (opened.target.empty() && options.device == "sim")
    opened.target = job->bundle ? job->bundle->target : job->named.target;
  opened.bundleFile = options.bundle;
  opened.seed = job->seed;
  opened.tokens = job->tokens;
  Expected<Layer> layer = Layer::create(job->named.problem, opened);
  if (!layer)
    return report(layer.status());
  std::optional<Reference> reference;
  if (options.check) {
    Expected<Reference> made =
        openReference(job->bundle ? &*job->bundle : nullptr, job->named.problem,
                      *layer, job->seed);
    if (!made)
      return report(made.status());
    reference = made.take();
  }
  int code = runAll(options, *job, *layer, reference ? &*reference : nullptr);
  if (options.verbose)
    logMappedLibraries();
  return code;
}

} // namespace

void addRun(CLI::App &parent, int &exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App *app = parent.add_subcommand(
      "run", "Run a whole layer on random operands, with --check against the "
             "reference");
  app->group("Run");
  std::string routings;
  for (const RoutingKind &kind : routingKinds())
    routings += fmt::format("  {:<12}{}\n", kind.name, kind.what);
  app->footer("Routings:\n" + routings + R"(
Examples:
  moec run --problem=kimi-k2-tp8 --tokens=1,16 --bundle=kimi.moec --check
  moec run --problem=kimi-k2-tp8 --tokens=16 --routing=dropped --seed=7 --check --json
  moec run --problem=my.json --tokens=4 --device=hip

With --bundle nothing is compiled; without it, libmoec has a worker process
compile what its cache lacks. Outputs and workspace hold NaN before each run.
The bound is a relative L2 error of 5e-3, of the whole and of every row.)");
  app->add_option("--problem", options->problem,
                  "Problem: a name, a JSON file, or JSON")
      ->required()
      ->type_name("FILE|NAME");
  app->add_option("--tokens", options->tokens, "Numbers of tokens to run")
      ->type_name("N,N..")
      ->capture_default_str();
  app->add_option("--bundle", options->bundle, "Bundle of `moec compile`")
      ->type_name("FILE");
  app->add_option("--device", options->device,
                  "sim (the simulator beside moec) or hip (a GPU)")
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--target", options->target,
                  "Architecture that the device must be (default with sim: the "
                  "problem's)")
      ->type_name("NAME");
  app->add_option("--routing", options->routing, "How tokens choose experts")
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--seed", options->seed,
                  "Of weights, activations and routing (default: a new one)")
      ->type_name("N");
  app->add_flag("--check", options->check, "Compare with the f64 reference");
  app->add_flag("--json", options->json, "One object a run");
  app->callback([options, app, &exitCode] {
    options->verbose = app->count("--verbose") > 0;
    exitCode = run(*options);
  });
}

} // namespace moec::tool
