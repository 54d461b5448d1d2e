// moec targets: the compiler's table of architectures.
#include "tools/moec/command.h"

#include "tools/moec/compiler_library.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace moec::tool {

static std::string cell(const Json &value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

static int targets(bool json) {
  Expected<CompilerLibrary> compiler = CompilerLibrary::open();
  if (!compiler)
    return report(compiler.status());
  CompilerReply reply = compiler->invoke({{"op", "targets"}});
  if (int code = reportReply(reply))
    return code;
  OrderedJson rows = OrderedJson::parse(reply.data, nullptr, false);
  if (!rows.is_array())
    return report(Status(ErrorCode::Internal,
                         "the compiler's table of targets is no JSON array"));
  if (json) {
    for (const OrderedJson &row : rows)
      printJson(row);
    return 0;
  }
  for (const OrderedJson &row : rows) {
    for (const auto &[key, value] : row.items())
      fmt::print("{:<24}{}\n", key, cell(value));
    fmt::print("\n");
  }
  return 0;
}

void addTargets(CLI::App &parent, int &exitCode) {
  auto json = std::make_shared<bool>(false);
  CLI::App *app = parent.add_subcommand(
      "targets", "List the architectures that moec compiles for");
  app->group("Look");
  app->add_flag("--json", *json, "One object a line");
  app->callback([json, &exitCode] { exitCode = targets(*json); });
}

} // namespace moec::tool
