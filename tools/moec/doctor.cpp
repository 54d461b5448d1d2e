// moec doctor: which libraries, devices and caches moec finds, and what is
// wrong.
#include "tools/moec/command.h"

#include "runtime/include/moec/moec.h"
#include "tools/moec/compiler_library.h"
#include "tools/moec/problems.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

namespace moec::tool {
namespace {

/// One thing looked for: where it is, or why it is not usable.
struct Finding {
  std::string what, where, problem;
};

/// A device that a HIP library offers; "" asks for the default library.
Finding findDevice(const std::string &what, const std::string &library) {
  moec_context_options options = {};
  options.struct_size = sizeof(options);
  options.hip_library = library.empty() ? nullptr : library.c_str();
  options.never_compile = 1;
  options.cache_directory = "";
  moec_context *context = nullptr;
  if (moec_error *error = moec_context_create(&options, &context)) {
    Finding finding{what, library, moec_error_get_message(error)};
    moec_error_destroy(error);
    return finding;
  }
  Finding finding{what,
                  fmt::format("{} through {}", moec_context_target(context),
                              moec_context_hip_library(context)),
                  ""};
  moec_context_destroy(context);
  return finding;
}

std::vector<Finding> lookAround() {
  std::vector<Finding> findings;
  Expected<CompilerLibrary> compiler = CompilerLibrary::open();
  if (compiler)
    findings.push_back(
        {"compiler",
         fmt::format("{}, build {}", compiler->path(), compiler->buildId()),
         ""});
  else
    findings.push_back({"compiler", "", compiler.status().message()});
  findings.push_back(
      findDevice("simulator", executableDirectory() + "/../lib/libhipsim.so"));
  findings.push_back(findDevice("gpu", ""));
  const char *cache = std::getenv("MOEC_CACHE_DIR");
  findings.push_back({"cache",
                      !cache   ? "the user's cache directory"
                      : *cache ? cache
                               : "none (MOEC_CACHE_DIR is empty)",
                      ""});
  return findings;
}

int doctor(bool json) {
  std::vector<Finding> findings = lookAround();
  if (json) {
    OrderedJson object = {{"libraries", OrderedJson::object()},
                          {"devices", OrderedJson::array()},
                          {"cache", findings.back().where},
                          {"problems", OrderedJson::array()}};
    for (const Finding &finding : findings) {
      if (!finding.problem.empty())
        object["problems"].push_back(finding.what + ": " + finding.problem);
      else if (finding.what == "compiler")
        object["libraries"]["compiler"] = finding.where;
      else if (finding.what != "cache")
        object["devices"].push_back(finding.what + ": " + finding.where);
    }
    printJson(object);
    return 0;
  }
  for (const Finding &finding : findings)
    fmt::print("{:<10} {}\n", finding.what,
               finding.problem.empty() ? finding.where
                                       : "not usable: " + finding.problem);
  fmt::print("{:<10} {}\n", "problems", join(knownProblems(), ", "));
  return 0;
}

} // namespace

void addDoctor(CLI::App &parent, int &exitCode) {
  auto json = std::make_shared<bool>(false);
  CLI::App *app = parent.add_subcommand(
      "doctor", "Say which libraries, devices and caches moec finds");
  app->group("Look");
  app->footer("Examples:\n  moec doctor\n  moec doctor --json | jq .problems");
  app->add_flag("--json", *json, "One JSON object");
  app->callback([json, &exitCode] { exitCode = doctor(*json); });
}

} // namespace moec::tool
