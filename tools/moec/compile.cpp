// moec compile: stages, layers or lower rungs to a bundle or to any rung.
//
// Inputs are handed to the compiler as text; names of problems stand for the
// layer that each selects. Nothing is written unless everything compiled.
#include "tools/moec/command.h"

#include "runtime/bundle/bundle.h"
#include "tools/moec/compiler_library.h"
#include "tools/moec/problems.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unistd.h>

namespace moec::tool {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string problem, target, buckets, emit = "bundle", from, schedule, output;
  bool stats = false, json = false;
};

const std::vector<std::string> emitted = {"stage", "tile",  "rocdl", "llvm",
                                          "asm",   "hsaco", "bundle"};
const std::vector<std::string> accepted = {"stage", "tile", "rocdl", "llvm"};

/// One request to the compiler: what is compiled together.
struct Unit {
  std::optional<NamedProblem> problem;
  std::string target;
  Json request;
};

bool isBinary(const std::string &emit) {
  return emit == "bundle" || emit == "hsaco";
}

Status checkPhase(const std::string &flag, const std::string &value,
                  const std::vector<std::string> &names) {
  if (std::find(names.begin(), names.end(), value) != names.end())
    return {};
  return Status(ErrorCode::Usage,
                fmt::format("{}={}: unknown phase{}; known: {}", flag, value,
                            suggestion(value, names), join(names, ", ")));
}

Status checkOptions(const Options &options) {
  if (Status s = checkPhase("--emit", options.emit, emitted); !s.ok())
    return s;
  if (!options.from.empty())
    if (Status s = checkPhase("--from", options.from, accepted); !s.ok())
      return s;
  if (isBinary(options.emit) && options.output.empty())
    return Status(ErrorCode::Usage,
                  fmt::format("--emit={} makes binary data: name a file with "
                              "-o FILE, or -o - for stdout",
                              options.emit));
  if (isBinary(options.emit) && options.output == "-" &&
      isatty(STDOUT_FILENO) == 1)
    return Status(ErrorCode::Usage,
                  "-o -: binary data is not written to a terminal");
  bool dataOnStdout = options.output.empty() || options.output == "-";
  if (dataOnStdout && options.json)
    return Status(ErrorCode::Usage, "--json and the compiled data would both "
                                    "go to stdout: name a file with -o FILE");
  if (options.inputs.empty() && options.problem.empty())
    return Status(ErrorCode::Usage,
                  fmt::format("nothing to compile: give a .mlir file, or a "
                              "problem ({})",
                              join(knownProblems(), ", ")));
  return {};
}

/// Splits the inputs into files and names of problems.
Status sortInputs(const Options &options, std::vector<std::string> &files,
                  std::vector<std::string> &problems) {
  for (const std::string &input : options.inputs) {
    if (isKnownProblem(input))
      problems.push_back(input);
    else if (input == "-" || input.ends_with(".mlir") ||
             input.find('/') != std::string::npos ||
             access(input.c_str(), F_OK) == 0)
      files.push_back(input);
    else
      return Status(ErrorCode::Usage,
                    fmt::format("unknown input '{}'{}: neither a file nor a "
                                "problem; known problems: {}",
                                input, suggestion(input, knownProblems()),
                                join(knownProblems(), ", ")));
  }
  if (!options.problem.empty())
    problems.push_back(options.problem);
  if (problems.size() > 1 && !files.empty())
    return Status(
        ErrorCode::Usage,
        fmt::format("files are compiled for one problem, found {}: {}",
                    problems.size(), join(problems, ", ")));
  if (problems.size() > 1 && options.emit != "bundle")
    return Status(ErrorCode::Usage,
                  fmt::format("--emit={} prints one problem, found {}: {}",
                              options.emit, problems.size(),
                              join(problems, ", ")));
  return {};
}

Expected<Json> readInputs(const std::vector<std::string> &files) {
  Json inputs = Json::array();
  for (const std::string &file : files) {
    Expected<std::string> text = readInput(file);
    if (!text)
      return text.status();
    inputs.push_back(
        {{"name", file == "-" ? "<stdin>" : file}, {"text", *text}});
  }
  return inputs;
}

/// The request but for what differs between problems.
Expected<Json> baseRequest(const Options &options,
                           const std::vector<std::string> &files) {
  Json request = {{"op", "compile"}, {"emit", options.emit}};
  // A bundle is for serving: all the small sizes. A text is for reading.
  std::string buckets = options.buckets;
  if (buckets.empty())
    buckets = options.emit == "bundle" ? "decode" : "16";
  Expected<std::vector<int64_t>> numbers = resolveBuckets(buckets);
  if (!numbers)
    return numbers.status();
  request["buckets"] = *numbers;
  if (!options.schedule.empty())
    request["schedule"] = options.schedule;
  if (!options.from.empty())
    request["from"] = options.from;
  Expected<Json> inputs = readInputs(files);
  if (!inputs)
    return inputs.status();
  if (!inputs->empty())
    request["inputs"] = inputs.take();
  return request;
}

Expected<std::vector<Unit>> makeUnits(const Options &options) {
  std::vector<std::string> files, problems;
  if (Status status = sortInputs(options, files, problems); !status.ok())
    return status;
  Expected<Json> base = baseRequest(options, files);
  if (!base)
    return base.status();
  std::vector<Unit> units;
  for (const std::string &name : problems) {
    Expected<NamedProblem> problem = resolveProblem(name);
    if (!problem)
      return problem.status();
    Expected<std::string> target = resolveTarget(options.target, *problem);
    if (!target)
      return target.status();
    Unit unit{problem.take(), target.take(), *base};
    unit.request["problem"] = Json::parse(unit.problem->problem.canonical());
    units.push_back(std::move(unit));
  }
  if (problems.empty()) {
    // A lower rung carries its sizes; only the compiler can say if one is left.
    if (options.target.empty())
      return Status(ErrorCode::Usage, "no target: give --target=NAME ('moec "
                                      "targets' lists them)");
    units.push_back({std::nullopt, options.target, *base});
  }
  for (Unit &unit : units)
    unit.request["target"] = unit.target;
  return units;
}

void printStats(const Json &stats, bool json) {
  if (json) {
    for (const Json &row : stats) {
      OrderedJson object;
      for (const char *key :
           {"kernel", "ms_total", "ms_passes", "ms_llvm", "ms_link"})
        object[key] = row.value(key, Json());
      object["cached"] = row.value("cached", false);
      printJson(object);
    }
    return;
  }
  std::vector<double> totals;
  for (const Json &row : stats) {
    totals.push_back(row.value("ms_total", 0.0));
    spdlog::info(
        "{:<40} {:7.1f} ms = passes {:.1f} + llvm {:.1f} + link {:.2f}",
        row.value("kernel", ""), totals.back(), row.value("ms_passes", 0.0),
        row.value("ms_llvm", 0.0), row.value("ms_link", 0.0));
  }
  if (totals.empty())
    return;
  std::sort(totals.begin(), totals.end());
  spdlog::info("{} kernels, median {:.1f} ms", totals.size(),
               totals[totals.size() / 2]);
}

/// Compiles every unit; `data` is one bundle or one text.
int compileUnits(const Options &options, const CompilerLibrary &compiler,
                 const std::vector<Unit> &units, std::string &data) {
  Bundle merged;
  Json stats = Json::array();
  Progress progress("compiling");
  for (size_t i = 0; i < units.size(); ++i) {
    progress.update(i, units.size());
    CompilerReply reply = compiler.invoke(units[i].request);
    if (int code = reportReply(reply))
      return code;
    if (reply.meta.contains("stats"))
      stats.insert(stats.end(), reply.meta["stats"].begin(),
                   reply.meta["stats"].end());
    if (options.emit != "bundle") {
      data = std::move(reply.data);
      continue;
    }
    std::span<const uint8_t> bytes(
        reinterpret_cast<const uint8_t *>(reply.data.data()),
        reply.data.size());
    Expected<Bundle> bundle = readBundle(bytes, "the compiler's bundle");
    if (!bundle)
      return report(Status(ErrorCode::Internal, bundle.status().message()));
    if (i == 0)
      merged = bundle.take();
    else if (Status status = mergeBundle(merged, *bundle); !status.ok())
      return report(status);
  }
  if (options.emit == "bundle")
    data = writeBundle(merged);
  if (options.stats)
    printStats(stats, options.json);
  return 0;
}

int compile(const Options &options) {
  if (Status status = checkOptions(options); !status.ok())
    return report(status);
  Expected<std::vector<Unit>> units = makeUnits(options);
  if (!units)
    return report(units.status());
  Expected<CompilerLibrary> compiler = CompilerLibrary::open();
  if (!compiler)
    return report(compiler.status());
  std::string data;
  if (int code = compileUnits(options, *compiler, *units, data))
    return code;
  std::string output = options.output.empty() ? "-" : options.output;
  if (Status status = writeOutput(output, data); !status.ok())
    return report(status);
  if (options.json && !options.stats)
    printJson({{"output", output},
               {"emit", options.emit},
               {"target", units->front().target},
               {"bytes", data.size()}});
  else if (output != "-")
    spdlog::info("wrote {} ({})", output, byteCount(data.size()));
  return 0;
}

} // namespace

void addCompile(CLI::App &parent, int &exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App *app = parent.add_subcommand(
      "compile", "Compile stages or whole layers to a bundle, or print a rung");
  app->group("Compile");
  app->footer(R"(Examples:
  moec compile kimi-k2-tp8 -o kimi.moec                  a model's layer, ahead of time
  moec compile gate_up.mlir down.mlir --target=gfx942 --problem=kimi-k2-tp8 -o kimi.moec
  moec compile gate_up.mlir --problem=kimi-k2-tp8 --emit=tile > gate_up.tile.mlir
  moec compile gate_up.tile.mlir --target=gfx942 --problem=kimi-k2-tp8 --emit=asm)");
  app->add_option(
         "inputs", options->inputs,
         "Stages, layers or a lower rung (.mlir, - is stdin), or names "
         "of problems")
      ->type_name("INPUT.mlir|NAME");
  app->add_option("--problem", options->problem,
                  "Problem that binds the sizes: a name or a JSON file")
      ->type_name("FILE|NAME");
  app->add_option("--target", options->target,
                  "Architecture, e.g. gfx942 (default: the problem's)")
      ->type_name("NAME");
  app->add_option(
         "--buckets", options->buckets,
         "Numbers of tokens to prepare for, or a set: decode, prefill, "
         "vllm_capture (default: decode; 16 when printing)")
      ->type_name("N,N..|SET");
  app->add_option("--emit", options->emit,
                  "What to make: stage, tile, rocdl, llvm, asm, hsaco, bundle")
      ->type_name("PHASE")
      ->capture_default_str();
  app->add_option("--from", options->from,
                  "Rung of the inputs (default: seen from their content)")
      ->type_name("PHASE");
  app->add_option("--schedule", options->schedule,
                  "Schedule attribute instead of the chosen one")
      ->type_name("ATTR");
  app->add_option("-o,--output", options->output,
                  "Where to write; - is stdout (default for text)")
      ->type_name("FILE");
  app->add_flag("--stats", options->stats,
                "Show the time that each kernel took");
  app->add_flag("--json", options->json, "Results as JSON, one object a line");
  app->callback([options, &exitCode] { exitCode = compile(*options); });
}

} // namespace moec::tool
