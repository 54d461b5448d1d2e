// moec test: one stage, compiled, simulated and compared with the reference
// over a matrix of sizes, numbers of tokens and routings.
//
// The stage runs by itself: the compiler makes a plan for it alone, and its
// inputs are random. Nothing here knows what a stage computes.
#include "tools/moec/command.h"

#include "tools/moec/comparison.h"
#include "tools/moec/layer.h"
#include "tools/moec/problems.h"
#include "tools/moec/reference.h"
#include "tools/moec/test_matrix.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>

namespace moec::tool {
namespace {

struct Options {
  std::string file, stage, target = "gfx942", problem, tokens, routing,
                           schedule;
  std::string seed;
  bool full = false, json = false;
};

/// The stage under test, and the group that it fixes (0: the problem's).
struct StageFile {
  std::string text, stage;
  int64_t group = 0;
};

/// Finds the stage that `options` means among those of `described`, which is what
/// the compiler says of the file.
Status chooseStage(const Options &options, const Json &described,
                   StageFile &file) {
  std::vector<std::string> names;
  for (const Json &stage : described)
    names.push_back(stage.value("stage", ""));
  if (names.empty())
    return Status(
        ErrorCode::Content,
        fmt::format("{}: expected a moe.stage, found none", options.file));
  if (options.stage.empty() && names.size() > 1)
    return Status(
        ErrorCode::Usage,
        fmt::format("{} has {} stages: {}; choose one with --stage=NAME",
                    options.file, names.size(), join(names, ", ")));
  file.stage = options.stage.empty() ? names.front() : options.stage;
  auto found = std::find(names.begin(), names.end(), file.stage);
  if (found == names.end())
    return Status(ErrorCode::Usage,
                  fmt::format("--stage={}: {} has no such stage{}; it has {}",
                              file.stage, options.file,
                              suggestion(file.stage, names), join(names, ", ")));
  file.group = described[size_t(found - names.begin())].value("group", int64_t(0));
  return {};
}

/// Reads the file and asks the compiler what is in it; the exit code.
int readStage(const Options &options, const CompilerLibrary &compiler,
              StageFile &file) {
  Expected<std::string> text = readInput(options.file);
  if (!text)
    return report(text.status());
  file.text = text.take();
  CompilerReply reply = compiler.invoke(
      {{"op", "describe"},
       {"inputs", Json::array({{{"name", options.file}, {"text", file.text}}})}});
  if (int code = reportReply(reply))
    return code;
  Json described = Json::parse(reply.data, nullptr, /*allow_exceptions=*/false);
  if (!described.is_array())
    return report(Status(ErrorCode::Internal,
                         "the compiler's description of the stages is no JSON "
                         "array"));
  return report(chooseStage(options, described, file));
}

struct Totals {
  int passed = 0, failed = 0;
};

/// One problem of the matrix: compiled once, run on many points.
class ProblemTest {
public:
  ProblemTest(const Options &options, const StageFile &file,
              const TestProblem &test, uint64_t seed)
      : options(options), file(file), test(test), seed(seed) {}

  /// Returns an exit code for what prevented the runs.
  int run(const CompilerLibrary &compiler, const std::vector<TestPoint> &points,
          Table &table, Totals &totals) {
    std::vector<int64_t> tokens;
    for (const TestPoint &point : points)
      tokens.push_back(point.tokens);
    std::string bytes;
    if (int code = compile(compiler, tokens, bytes))
      return code;
    Expected<Bundle> bundle = readBundle(
        {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()},
        "the compiler's bundle");
    if (!bundle)
      return report(bundle.status());
    LayerOptions opened;
    opened.target = options.target;
    opened.bundle = &bytes;
    opened.plan = planName(*bundle, test.problem);
    opened.seed = seed;
    opened.tokens = tokens;
    Expected<Layer> layer = Layer::create(test.problem, opened);
    if (!layer)
      return report(layer.status());
    Expected<std::string> text = layerText(*bundle, opened.plan);
    if (!text)
      return report(text.status());
    Reference reference(compiler, text.take(), test.problem, layer->tensors(),
                        seed);
    for (const TestPoint &point : points)
      if (int code = runPoint(*layer, reference, point, table, totals))
        return code;
    return 0;
  }

private:
  int compile(const CompilerLibrary &compiler,
              const std::vector<int64_t> &tokens, std::string &bytes) const {
    std::set<int64_t> buckets;
    for (int64_t count : tokens)
      buckets.insert(std::max<int64_t>(count, 1));
    Json request = {{"op", "compile"},
                    {"target", options.target},
                    {"problem", Json::parse(test.problem.canonical())},
                    {"buckets", buckets},
                    {"inputs", Json::array({{{"name", options.file},
                                             {"text", file.text}}})},
                    {"standalone", file.stage},
                    {"emit", "bundle"}};
    if (!options.schedule.empty())
      request["schedule"] = options.schedule;
    CompilerReply reply = compiler.invoke(request);
    bytes = std::move(reply.data);
    return reportReply(reply);
  }

  int runPoint(const Layer &layer, const Reference &reference,
               const TestPoint &point, Table &table, Totals &totals) const {
    Expected<Operands> operands = makeOperands(
        layer.tensors(), test.problem, {seed, point.tokens, point.routing});
    if (!operands)
      return report(operands.status());
    Expected<LayerResult> result = layer.run(*operands);
    if (!result)
      return report(result.status().withContext(rerun(point)));
    Expected<std::vector<float>> expected = reference.run(*operands);
    if (!expected)
      return report(expected.status().withContext(rerun(point)));
    std::vector<bool> skip = undefinedRows(layer.output(), *operands);
    Comparison comparison = compare(result->values, *expected,
                                    size_t(layer.output().shape.back()), skip);
    requireUntouched(comparison, skip, result->untouched);
    if (operands->routing.anyValid(test.problem.experts))
      requireNonzero(comparison);
    ++(comparison.passed ? totals.passed : totals.failed);
    print(point, comparison, table);
    return 0;
  }

  /// A tensor with one row a pair has no defined row for a pair without a valid
  /// expert: nothing reads it, and nothing may write it.
  std::vector<bool> undefinedRows(const Tensor &output,
                                  const Operands &operands) const {
    if (!hasRowPerPair(output))
      return {};
    std::vector<bool> skip(operands.routing.ids.size());
    for (size_t pair = 0; pair < skip.size(); ++pair)
      skip[pair] = !operands.routing.valid(pair, test.problem.experts);
    return skip;
  }

  std::string rerun(const TestPoint &point) const {
    std::string command = fmt::format(
        "moec test {} --target={} --stage={} --problem={} --tokens={} "
        "--routing={} --seed={}",
        shellQuote(options.file), shellQuote(options.target),
        shellQuote(file.stage), shellQuote(test.problem.canonical()),
        point.tokens, point.routing->name, seed);
    if (!options.schedule.empty())
      command += " --schedule=" + shellQuote(options.schedule);
    return command;
  }

  void print(const TestPoint &point, const Comparison &comparison,
             Table &table) const {
    if (options.json) {
      printJson({{"stage", file.stage},
                 {"problem", Json::parse(test.problem.canonical())},
                 {"target", options.target},
                 {"tokens", point.tokens},
                 {"routing", point.routing->name},
                 {"seed", seed},
                 {"rel_l2", comparison.relL2},
                 {"worst_row_rel_l2", comparison.worstRowRelL2},
                 {"worst_row", comparison.worstRow},
                 {"rows", comparison.rowsCompared},
                 {"rows_untouched", comparison.rowsUntouched},
                 {"passed", comparison.passed},
                 {"first_wrong", comparison.firstWrong}});
    } else {
      table.add({test.label, std::to_string(point.tokens), point.routing->name,
                 std::to_string(comparison.rowsCompared),
                 std::to_string(comparison.rowsUntouched),
                 fmt::format("{:.2e}", comparison.relL2),
                 fmt::format("{:.2e}", comparison.worstRowRelL2),
                 comparison.passed ? "passed" : "FAILED"});
    }
    if (!comparison.passed)
      spdlog::error("moec: error: {}\n  rerun: {}", comparison.firstWrong,
                    rerun(point));
  }

  const Options &options;
  const StageFile &file;
  const TestProblem &test;
  uint64_t seed;
};

Expected<std::vector<TestProblem>> problemsFor(const Options &options,
                                               const StageFile &file) {
  if (options.problem.empty())
    return testProblems(file.group);
  Expected<NamedProblem> named = resolveProblem(options.problem);
  if (!named)
    return named.status();
  return std::vector<TestProblem>{
      {problemLabel(named->problem.canonical()), "given", named->problem}};
}

Expected<std::vector<TestPoint>> pointsFor(const Options &options) {
  std::vector<int64_t> tokens = testTokens();
  if (!options.tokens.empty()) {
    Expected<std::vector<int64_t>> given =
        parseNumbers(options.tokens, "--tokens", /*zero=*/true);
    if (!given)
      return given.status();
    tokens = given.take();
  }
  if (options.routing.empty())
    return testPoints(tokens, options.full);
  Expected<const RoutingKind *> kind = findRoutingKind(options.routing);
  if (!kind)
    return kind.status();
  std::vector<TestPoint> points;
  for (int64_t count : tokens)
    points.push_back({count, *kind});
  return points;
}

int test(const Options &options) {
  Expected<std::vector<TestPoint>> points = pointsFor(options);
  if (!points)
    return report(points.status());
  Expected<uint64_t> seed = parseSeed(options.seed);
  if (!seed)
    return report(seed.status());
  Expected<CompilerLibrary> compiler = CompilerLibrary::open();
  if (!compiler)
    return report(compiler.status());
  StageFile file;
  if (int wrong = readStage(options, *compiler, file))
    return wrong;
  Expected<std::vector<TestProblem>> problems = problemsFor(options, file);
  if (!problems)
    return report(problems.status());
  spdlog::info("stage @{} of {} for {}, seed {}", file.stage, options.file,
               options.target, *seed);

  Table table(
      {"problem", "tokens", "routing", "rows", "unwritten", "rel L2",
       "worst row", ""});
  Totals totals;
  Progress progress("testing");
  int code = 0;
  for (size_t i = 0; i < problems->size() && code == 0; ++i) {
    progress.update(i, problems->size());
    code = ProblemTest(options, file, (*problems)[i], *seed)
               .run(*compiler, *points, table, totals);
  }
  if (!options.json && totals.passed + totals.failed > 0) {
    table.print();
    fmt::print("{} passed, {} failed, bound {:.0e}\n", totals.passed,
               totals.failed, relativeBound);
  }
  if (code != 0)
    return code;
  return totals.failed ? int(ErrorCode::Content) : 0;
}

} // namespace

void addTest(CLI::App &parent, int &exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App *app = parent.add_subcommand(
      "test", "Compile a stage, run it alone and compare with the reference");
  app->group("Run");
  std::string matrix;
  for (const TestProblem &problem : testProblems(0))
    matrix += fmt::format("  {:<28}{}\n", problem.label, problem.why);
  app->footer(
      "Problems, unless --problem gives one (a stage that fixes its group "
      "gets them with that group):\n" +
      matrix + R"(
Each runs with uniform routing for 0, 1, 3, 16, 17 and 49 tokens, and with every
other routing ('moec run --help' lists them) for 17.

Examples:
  moec test kernels/stages/gate_up.mlir --target=gfx942
  moec test mine.mlir --problem=kimi-k2-tp8 --tokens=16 --routing=uniform
  moec test mine.mlir --full --json)");
  app->add_option("file", options->file, "File with the stage; - is stdin")
      ->required()
      ->type_name("STAGE.mlir");
  app->add_option("--target", options->target, "Architecture")
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--problem", options->problem,
                  "One problem: a name, a JSON file, or JSON")
      ->type_name("FILE|NAME");
  app->add_option("--stage", options->stage, "Stage of a file that has several")
      ->type_name("NAME");
  app->add_option("--tokens", options->tokens, "Numbers of tokens")
      ->type_name("N,N..");
  app->add_option("--routing", options->routing, "One routing")
      ->type_name("NAME");
  app->add_option("--schedule", options->schedule,
                  "Schedule attribute instead of the chosen one")
      ->type_name("ATTR");
  app->add_option("--seed", options->seed,
                  "Of all operands (default: a new one)")
      ->type_name("N");
  app->add_flag("--full", options->full, "Every routing for every count");
  app->add_flag("--json", options->json, "One object a run");
  app->callback([options, &exitCode] { exitCode = test(*options); });
}

} // namespace moec::tool
