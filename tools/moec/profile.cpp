// moec profile: what the simulator's timing model predicts for a layer.
//
// Runs the layer on the simulator once a number of tokens, between
// hipsimProfileBegin and hipsimProfileEnd, which it resolves in the HIP library
// that libmoec has opened. Every time printed is of a model.
#include "tools/moec/command.h"

#include "tools/moec/layer.h"
#include "tools/moec/problems.h"
#include "tools/moec/profile_page.h"

#include "runtime/hipsim/hip/hipsim.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <dlfcn.h>
#include <optional>
#include <random>

namespace moec::tool {
namespace {

struct Options {
  std::string problem, target, tokens = "16", bundle, html;
  std::string routing = "uniform";
  std::optional<uint64_t> seed;
  uint32_t sample = 0;
  bool packedOverlaps = false, json = false;
};

/// The simulator's own functions.
struct Profiler {
  decltype(&hipsimProfileBegin) begin = nullptr;
  decltype(&hipsimProfileEnd) end = nullptr;
};

Expected<Profiler> openProfiler(const std::string &library) {
  Profiler p;
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle) {
    p.begin = reinterpret_cast<decltype(p.begin)>(dlsym(handle, "hipsimProfileBegin"));
    p.end = reinterpret_cast<decltype(p.end)>(dlsym(handle, "hipsimProfileEnd"));
  }
  if (!p.begin || !p.end)
    return Status(ErrorCode::Device,
                  fmt::format("'{}' has no timing model: it lacks "
                              "hipsimProfileBegin or hipsimProfileEnd",
                              library));
  return p;
}

/// One run under the model; the document of hipsimProfileEnd.
Expected<Json> profileOnce(const Options &options, const Profiler &profiler,
                           const Layer &layer, const Problem &problem, const Draw &draw) {
  Expected<Operands> operands = makeOperands(layer.tensors(), problem, draw);
  if (!operands)
    return operands.status();
  hipsim_profile_options begin = {};
  begin.struct_size = sizeof(begin);
  begin.sample_workgroups = options.sample;
  begin.packed_f32_overlaps = options.packedOverlaps;
  begin.seed = draw.seed;
  if (int error = profiler.begin(&begin))
    return Status(ErrorCode::Device, fmt::format("hipsimProfileBegin failed: {}", error));
  Expected<LayerResult> result = layer.run(*operands);
  const char *text = nullptr;
  int error = profiler.end(&text);
  if (!result)
    return result.status().withContext(fmt::format("tokens={}", draw.tokens));
  if (error || !text)
    return Status(ErrorCode::Device, fmt::format("hipsimProfileEnd failed: {}", error));
  Json document = Json::parse(text);
  document["problem"] = options.problem;
  document["tokens"] = draw.tokens;
  document["seed"] = draw.seed;
  document["routing"] = options.routing;
  return document;
}

std::string percent(const Json &share) { return fmt::format("{:.0f} %", 100 * double(share)); }

void printTable(const Json &document) {
  fmt::print("{} tokens={}: {:.1f} us by the model ({}), {} launches\n",
             std::string(document["problem"]), int64_t(document["tokens"]),
             double(document["predicted_us"]), std::string(document["model"]),
             int64_t(document["launches"]));
  Table table({"kernel", "model us", "bound", "HBM", "L2", "LDS", "matrix", "vector", "HBM MB",
               "TB/s", "waves/SIMD", "KiB in flight", "conflicts clk", "longest wait"});
  for (const Json &k : document["kernels"]) {
    const Json &shares = k["shares"], &counters = k["counters"], &waits = k["waits"]["by_instruction"];
    double bytes = double(counters["hbm"]["read_bytes"]) + double(counters["hbm"]["write_bytes"]);
    table.add({k["kernel"], fmt::format("{:.1f}", double(k["predicted_us"])), k["bound"],
               percent(shares["hbm"]), percent(shares["l2"]), percent(shares["lds"]),
               percent(shares["matrix"]), percent(shares["vector"]), fmt::format("{:.1f}", bytes * 1e-6),
               fmt::format("{:.2f}", double(k["hbm_tb_s"])),
               fmt::format("{:.1f}", double(k["occupancy"]["waves_per_simd"])),
               fmt::format("{:.1f}", double(counters["bytes_in_flight_per_cu"]) / 1024),
               fmt::format("{:.0f}", double(counters["lds_bank_conflict_clk"])),
               waits.empty() ? "" : fmt::format("{} ({} of waits)", std::string(waits[0]["instruction"]),
                                                percent(waits[0]["share"]))});
  }
  table.print("  ");
  std::fflush(stdout);
}

int profile(const Options &options) {
  Expected<std::vector<int64_t>> tokens = parseNumbers(options.tokens, "--tokens", /*zero=*/false);
  if (!tokens)
    return report(tokens.status());
  Expected<const RoutingKind *> routing = findRoutingKind(options.routing);
  if (!routing)
    return report(routing.status());
  Expected<NamedProblem> named = resolveProblem(options.problem);
  if (!named)
    return report(named.status());
  if (Status s = requireProblem(named->problem); !s.ok())
    return report(s);
  uint64_t seed = options.seed ? *options.seed : std::random_device()();
  spdlog::info("seed {} ({} routing); rerun with --seed={}", seed, (*routing)->name, seed);
  LayerOptions opened;
  opened.target = options.target.empty() ? named->target : options.target;
  if (!options.bundle.empty()) {
    Expected<Bundle> bundle = readBundleFile(options.bundle);
    if (!bundle)
      return report(bundle.status());
    if (options.target.empty())
      opened.target = bundle->target;
  }
  opened.bundleFile = options.bundle;
  opened.seed = seed;
  opened.tokens = *tokens;
  Expected<Layer> layer = Layer::create(named->problem, opened);
  if (!layer)
    return report(layer.status());
  Expected<Profiler> profiler = openProfiler(layer->hipLibrary());
  if (!profiler)
    return report(profiler.status());
  Json documents = Json::array();
  for (int64_t count : *tokens) {
    Expected<Json> document = profileOnce(options, *profiler, *layer, named->problem, {seed, count, *routing});
    if (!document)
      return report(document.status());
    if (options.json)
      printJson(OrderedJson(*document));
    else
      printTable(*document);
    documents.push_back(document.take());
  }
  if (!options.html.empty())
    if (Status s = writeOutput(options.html, profilePage(documents)); !s.ok())
      return report(s);
  return 0;
}

} // namespace

void addProfile(CLI::App &parent, int &exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App *app = parent.add_subcommand(
      "profile", "Predict the time of a layer's kernels with the simulator's "
                 "timing model");
  app->group("Run");
  app->footer(R"(Examples:
  moec profile --problem=kimi-k2-tp8 --tokens=16 --bundle=kimi.moec
  moec profile --problem=kimi-k2-tp8 --tokens=1,16 --bundle=kimi.moec --html=kimi.html

Times are a model's, from executing the code object; what it models is in
runtime/hipsim/timing/README.md, its constants in the --json output.)");
  app->add_option("--problem", options->problem, "Problem: a name, a JSON file, or JSON")
      ->required()
      ->type_name("FILE|NAME");
  app->add_option("--tokens", options->tokens, "Numbers of tokens to run")
      ->type_name("N,N..")
      ->capture_default_str();
  app->add_option("--bundle", options->bundle, "Bundle of `moec compile`")->type_name("FILE");
  app->add_option("--target", options->target, "Architecture to simulate (default: the bundle's)")
      ->type_name("NAME");
  app->add_option("--routing", options->routing, "How tokens choose experts")
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--seed", options->seed, "Of weights, routing and the sample (default: a new one)")
      ->type_name("N");
  app->add_option("--sample", options->sample, "Workgroups of a launch to record in detail (default 48)")
      ->type_name("N");
  app->add_flag("--packed-f32-overlaps", options->packedOverlaps,
                "Model v_pk_*_f32 at the datasheet's rate and beside MFMAs");
  app->add_flag("--json", options->json, "One object a number of tokens");
  app->add_option("--html", options->html, "Write one self-contained page with the plots")
      ->type_name("FILE");
  app->callback([options, &exitCode] { exitCode = profile(*options); });
}

} // namespace moec::tool
