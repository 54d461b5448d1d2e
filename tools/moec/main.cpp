// moec: the command of operators and kernel authors.
//
// Parses the command line and hands over to a subcommand; each is a file here.
#include "tools/moec/command.h"
#include "tools/moec/terminal.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>

namespace moec::tool {
namespace {

constexpr const char *footer = R"(Examples:
  moec compile kimi-k2-tp8 -o kimi.moec
  moec inspect kimi.moec
  moec run --problem=kimi-k2-tp8 --tokens=16 --bundle=kimi.moec --check
  moec test kernels/stages/gate_up.mlir --target=gfx942
'moec COMMAND --help' explains a command. Data goes to stdout, talk to stderr.

Exit codes:
  0   ok
  1   content is wrong: malformed stage, damaged bundle, failed check
  2   flags and names: bad usage, unknown target, problem or format
  3   a file cannot be opened, read or written
  4   valid, but not supported (on this target)
  5   a launch needs what was not prepared
  6   the device or its driver reported an error
  7   the compiler's worker process died, was late or is missing
  70  internal error

Environment:
  MOEC_CACHE_DIR    where compiled kernels are kept
  MOEC_COMPILER     path of libmoec_compiler.so
  MOEC_HIP_LIBRARY  path of the HIP library
  MOEC_WORKER       path of the program that compiles for libmoec
  HIPSIM_ARCH, HIPSIM_DEVICES, HIPSIM_SEED   what the simulator pretends to be)";

/// The option or subcommand that CLI11 did not know, with the nearest known.
std::string unknownName(const CLI::App &app, const std::string &message,
                        int argc, char **argv) {
  std::vector<std::string> commands;
  for (const CLI::App *command :
       app.get_subcommands([](const CLI::App *) { return true; }))
    commands.push_back(command->get_name());
  if (argc > 1 && argv[1][0] != '-' &&
      std::find(commands.begin(), commands.end(), argv[1]) == commands.end())
    return fmt::format("unknown command '{}'{}; known: {}", argv[1],
                       suggestion(argv[1], commands), join(commands, ", "));
  return message;
}

int usageError(CLI::App &app, const CLI::ParseError &error, int argc,
               char **argv) {
  std::string command = "moec";
  for (const CLI::App *parsed : app.get_subcommands())
    command += " " + parsed->get_name();
  std::string message = unknownName(app, error.what(), argc, argv);
  return report(Status(ErrorCode::Usage,
                       fmt::format("{}\nTry '{} --help'.", message, command)));
}

int run(int argc, char **argv) {
  CLI::App app("Compiler and runtime for Mixture-of-Experts kernels.", "moec");
  app.footer(footer);
  app.set_version_flag("--version", MOEC_TOOL_VERSION);
  app.get_formatter()->column_width(28);
  app.require_subcommand(1);
  int exitCode = 0;
  addCompile(app, exitCode);
  addRun(app, exitCode);
  addTest(app, exitCode);
  addInspect(app, exitCode);
  addProfile(app, exitCode);
  addTargets(app, exitCode);
  addDoctor(app, exitCode);
  addWorker(app, exitCode);
  bool verbose = std::any_of(argv, argv + argc, [](const char *argument) {
    return std::strcmp(argument, "--verbose") == 0;
  });
  startLog(verbose);
  for (CLI::App *command : app.get_subcommands([](CLI::App *) { return true; }))
    command->add_flag("--verbose", verbose, "Say more on stderr");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &asked) {
    return app.exit(asked); // --help, --version
  } catch (const CLI::ParseError &error) {
    return usageError(app, error, argc, argv);
  }
  return exitCode;
}

} // namespace
} // namespace moec::tool

int main(int argc, char **argv) {
  int code;
  try {
    code = moec::tool::run(argc, argv);
  } catch (const std::exception &error) {
    if (std::ferror(stdout)) // fmt::print threw because of it.
      return moec::tool::finishOutput(0);
    return moec::tool::report(
        moec::Status(moec::ErrorCode::Internal,
                     std::string("unexpected failure: ") + error.what()));
  }
  return moec::tool::finishOutput(code);
}
