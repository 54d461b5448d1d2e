// moec inspect: what is in a bundle, a cache entry or a code object.
//
// Reads with the runtime's own verifier, so a file that inspects well also
// loads. Needs neither a device nor the compiler.
#include "tools/moec/command.h"

#include "runtime/bundle/bundle.h"
#include "runtime/hipsim/isa/code_object.h"
#include "tools/moec/problems.h"
#include "tools/moec/terminal.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace moec::tool {
namespace {

struct Options {
  std::string file;
  bool json = false, texts = false;
};

std::span<const uint8_t> bytesOf(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

/// [1, 2, 4, 8] as "1 2 4 8"; long lists by their ends.
std::string bucketList(const std::vector<int64_t> &buckets) {
  if (buckets.size() > 6)
    return fmt::format("{}..{} ({})", buckets.front(), buckets.back(),
                       buckets.size());
  std::vector<std::string> names;
  for (int64_t bucket : buckets)
    names.push_back(std::to_string(bucket));
  return names.empty() ? "any" : join(names, " ");
}

Json problemJson(const std::string &canonical) {
  Json parsed = Json::parse(canonical, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? Json() : parsed;
}

OrderedJson kernelJson(const Kernel &kernel, const Bundle &bundle) {
  return {{"name", kernel.name},
          {"stage", kernel.stage},
          {"problem", problemJson(kernel.problem)},
          {"target", kernel.target},
          {"schedule", kernel.schedule},
          {"buckets", kernel.buckets},
          {"vgpr", kernel.vgpr},
          {"agpr", kernel.agpr},
          {"sgpr", kernel.sgpr},
          {"vgpr_spills", kernel.vgprSpills},
          {"sgpr_spills", kernel.sgprSpills},
          {"lds_bytes", kernel.ldsBytes},
          {"scratch_bytes", kernel.scratchBytes},
          {"waves_per_simd", kernel.wavesPerSimd},
          {"block", kernel.block},
          {"code_bytes", bundle.code[kernel.code].bytes.size()},
          {"code_hash", bundle.code[kernel.code].hash}};
}

OrderedJson planJson(const Plan &plan, const Bundle &bundle) {
  OrderedJson launches = OrderedJson::array();
  for (const Launch &launch : plan.launches)
    launches.push_back({{"kernel", bundle.kernels[launch.kernel].name},
                        {"grid", launch.grid}});
  return {{"layer", plan.layer},
          {"problem", problemJson(plan.problem)},
          {"target", plan.target},
          {"bucket", plan.bucket},
          {"pass_tokens", plan.passTokens},
          {"workspace_bytes", plan.workspaceBytes},
          {"launches", launches}};
}

void printBundleJson(const Bundle &bundle, const std::string &file,
                     const std::string &bytes) {
  OrderedJson object = {{"file", file},
                        {"kind", "bundle"},
                        {"bytes", bytes.size()},
                        {"hash", contentHash(bytes)},
                        {"target", bundle.target},
                        {"producer", bundle.producer}};
  object["kernels"] = OrderedJson::array();
  for (const Kernel &kernel : bundle.kernels)
    object["kernels"].push_back(kernelJson(kernel, bundle));
  object["plans"] = OrderedJson::array();
  for (const Plan &plan : bundle.plans)
    object["plans"].push_back(planJson(plan, bundle));
  object["texts"] = OrderedJson::array();
  for (const Text &text : bundle.texts)
    object["texts"].push_back({{"kind", text.kind}, {"name", text.name}});
  printJson(object);
}

void printKernels(const Bundle &bundle) {
  Table table({"kernel", "stage", "vgpr", "agpr", "sgpr", "lds", "scratch",
               "spills", "waves/SIMD", "threads", "code", "tokens"});
  for (const Kernel &kernel : bundle.kernels)
    table.add(
        {kernel.name, kernel.stage, std::to_string(kernel.vgpr),
         std::to_string(kernel.agpr), std::to_string(kernel.sgpr),
         std::to_string(kernel.ldsBytes), std::to_string(kernel.scratchBytes),
         std::to_string(kernel.vgprSpills + kernel.sgprSpills),
         std::to_string(kernel.wavesPerSimd),
         std::to_string(kernel.block[0] * kernel.block[1] * kernel.block[2]),
         std::to_string(bundle.code[kernel.code].bytes.size()),
         bucketList(kernel.buckets)});
  fmt::print("\nkernels\n");
  table.print("  ");
}

void printPlans(const Bundle &bundle) {
  Table table({"layer", "problem", "tokens", "a pass", "workspace",
               "launches (blocks)"});
  for (const Plan &plan : bundle.plans) {
    std::vector<std::string> launches;
    for (const Launch &launch : plan.launches)
      launches.push_back(fmt::format(
          "{} ({})", bundle.kernels[launch.kernel].stage,
          uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2]));
    table.add({plan.layer, problemLabel(plan.problem),
               std::to_string(plan.bucket), std::to_string(plan.passTokens),
               byteCount(plan.workspaceBytes), join(launches, ", ")});
  }
  fmt::print("\nplans\n");
  table.print("  ");
}

void printCode(const Bundle &bundle) {
  Table table({"code object (XXH3-128)", "bytes"});
  for (const Code &code : bundle.code)
    table.add({code.hash, std::to_string(code.bytes.size())});
  fmt::print("\ncode\n");
  table.print("  ");
}

int inspectBundle(const Options &options, const std::string &bytes) {
  Expected<Bundle> bundle = readBundle(bytesOf(bytes), options.file);
  if (!bundle)
    return report(bundle.status());
  if (options.texts) {
    for (const Text &text : bundle->texts)
      fmt::print("// {} {}\n{}\n", text.kind, text.name, text.text);
    return 0;
  }
  if (options.json) {
    printBundleJson(*bundle, options.file, bytes);
    return 0;
  }
  fmt::print("{}: bundle for {}, {}, hash {}\nwritten by {}\n", options.file,
             bundle->target, byteCount(bytes.size()), contentHash(bytes),
             bundle->producer);
  printKernels(*bundle);
  printPlans(*bundle);
  printCode(*bundle);
  return 0;
}

/// Waves a SIMD that the registers of a kernel leave room for. CDNA 3 and 4
/// have 512 registers a lane, given out in eights, and at most 8 waves.
uint32_t wavesByRegisters(uint32_t registers) {
  uint32_t given = std::max(8u, (registers + 7) / 8 * 8);
  return std::min(8u, 512 / given);
}

int inspectCodeObject(const Options &options, const std::string &bytes) {
  hipsim::CodeObject object;
  std::string error;
  if (!hipsim::loadCodeObject(bytes.data(), bytes.size(), object, error))
    return report(Status(ErrorCode::Content, options.file + ": " + error));
  OrderedJson kernels = OrderedJson::array();
  Table table({"kernel", "vgpr", "agpr", "sgpr", "lds", "scratch", "waves/SIMD",
               "threads", "kernarg"});
  for (const hipsim::KernelDescriptor &kernel : object.kernels) {
    uint32_t vgpr = kernel.agprs ? kernel.accumOffset : kernel.vgprs;
    uint32_t waves = wavesByRegisters(kernel.vgprs);
    kernels.push_back({{"name", kernel.name},
                       {"target", hipsim::archName(object.arch)},
                       {"vgpr", vgpr},
                       {"agpr", kernel.agprs},
                       {"sgpr", kernel.sgprs},
                       {"lds_bytes", kernel.groupSegmentBytes},
                       {"scratch_bytes", kernel.privateSegmentBytes},
                       {"waves_per_simd", waves},
                       {"kernarg_bytes", kernel.kernargBytes},
                       {"code_bytes", object.textSize}});
    table.add(
        {kernel.name, std::to_string(vgpr), std::to_string(kernel.agprs),
         std::to_string(kernel.sgprs), std::to_string(kernel.groupSegmentBytes),
         std::to_string(kernel.privateSegmentBytes), std::to_string(waves),
         std::to_string(kernel.maxFlatWorkgroupSize),
         std::to_string(kernel.kernargBytes)});
  }
  if (options.json) {
    printJson({{"file", options.file},
               {"kind", "code object"},
               {"bytes", bytes.size()},
               {"hash", contentHash(bytes)},
               {"target", object.target},
               {"kernels", kernels}});
    return 0;
  }
  fmt::print("{}: code object for {}, {}, {} of code, hash {}\n", options.file,
             object.target, byteCount(bytes.size()), byteCount(object.textSize),
             contentHash(bytes));
  fmt::print("waves/SIMD as registers allow, LDS aside\n\n");
  table.print("  ");
  return 0;
}

int inspect(const Options &options) {
  Expected<std::string> bytes = readInput(options.file);
  if (!bytes)
    return report(bytes.status());
  bool elf = bytes->starts_with("\x7f"
                                "ELF");
  if (elf && options.texts)
    return report(
        Status(ErrorCode::Usage, "--texts: a code object carries no stages"));
  return elf ? inspectCodeObject(options, *bytes)
             : inspectBundle(options, *bytes);
}

} // namespace

void addInspect(CLI::App &parent, int &exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App *app = parent.add_subcommand(
      "inspect", "Show what a bundle, cache entry or code object holds");
  app->group("Look");
  app->footer(R"(Examples:
  moec inspect kimi.moec
  moec inspect kimi.moec --json | jq '.kernels[] | [.name, .vgpr, .waves_per_simd]'
  moec inspect kimi.moec --texts        the stages that it was compiled from)");
  app->add_option("file", options->file,
                  "Bundle, cache entry or .hsaco; - is stdin")
      ->required()
      ->type_name("FILE");
  app->add_flag("--texts", options->texts, "Print the stages and layers in it");
  app->add_flag("--json", options->json, "One JSON object");
  app->callback([options, &exitCode] { exitCode = inspect(*options); });
}

} // namespace moec::tool
