// moec worker: serves compile requests of a runtime over stdin and stdout.
//
// The runtime starts it on a cache miss so that the engine's process never maps
// LLVM and survives whatever LLVM does. Requests and replies are the frames of
// runtime/base/worker_protocol.h; nothing else may reach the pipe of the
// replies, so stdout is moved away before LLVM is loaded.
#include "tools/moec/command.h"

#include "runtime/base/worker_protocol.h"
#include "tools/moec/compiler_library.h"

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <unistd.h>

namespace moec::tool {

/// Moves stdout to a descriptor of our own and sends what LLVM or libc prints
/// there to stderr.
static int takeStdout() {
  int replies = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (replies >= 0)
    dup2(STDERR_FILENO, STDOUT_FILENO);
  return replies;
}

static int worker() {
  if (isatty(STDIN_FILENO) == 1)
    return report(
        Status(ErrorCode::Usage,
               "'moec worker' is started by libmoec and speaks "
               "frames on stdin and stdout; it is not for terminals"));
  signal(SIGPIPE, SIG_IGN);
  int replies = takeStdout();
  if (replies < 0)
    return report(Status(ErrorCode::File, "stdout is closed: the replies go "
                                          "there"));
  Expected<CompilerLibrary> compiler = CompilerLibrary::open();
  while (true) {
    Expected<std::optional<std::string>> request = readRequest(STDIN_FILENO);
    if (!request)
      return report(request.status());
    if (!request->has_value())
      return 0; // The runtime is done with us.
    WorkerReply reply;
    if (compiler) {
      CompilerReply served = compiler->invokeText(**request);
      reply = {uint32_t(served.status), served.meta.dump(),
               std::move(served.data)};
    } else {
      // The runtime passes the reason on to its caller.
      Json diagnostic = {{"severity", "error"},
                         {"message", compiler.status().message()}};
      reply = {uint32_t(compiler.status().code()),
               Json{{"diagnostics", Json::array({diagnostic})}}.dump(), ""};
    }
    if (Status status = writeReply(replies, reply); !status.ok())
      return report(status);
  }
}

void addWorker(CLI::App &parent, int &exitCode) {
  CLI::App *app = parent.add_subcommand(
      "worker", "Serve compile requests of libmoec (started by it)");
  app->group("Serve");
  app->callback([&exitCode] { exitCode = worker(); });
}

} // namespace moec::tool
