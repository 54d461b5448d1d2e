// The worker process: spawning, frames under a time limit, and its end.
#include "runtime/worker/worker_client.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace moec {
namespace {

/// Where `moec` stands relative to the library: a build tree, one folder, and
/// a Debian multiarch installation.
constexpr const char *besideLibrary[] = {"/../bin/moec", "/moec",
                                         "/../../bin/moec"};

std::string libraryDirectory() {
  static const char anchor = 0;
  Dl_info info;
  if (!dladdr(&anchor, &info) || !info.dli_fname)
    return ".";
  std::string file = info.dli_fname;
  size_t slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash);
}

void closeFd(int &fd) {
  if (fd >= 0)
    close(fd);
  fd = -1;
}

/// A pipe whose ends are above stderr, so that giving them to the child as
/// its standard streams cannot collide.
bool makePipe(int &readEnd, int &writeEnd) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  readEnd = fcntl(ends[0], F_DUPFD_CLOEXEC, 3);
  writeEnd = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
  close(ends[0]);
  close(ends[1]);
  if (readEnd >= 0 && writeEnd >= 0)
    return true;
  closeFd(readEnd);
  closeFd(writeEnd);
  return false;
}

/// Spawns `moec worker` with the three streams and default signals.
int spawnWorker(pid_t &pid, const std::string &program, int in, int out,
                int err) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char command[] = "worker";
  std::string name = program;
  char *arguments[] = {name.data(), command, nullptr};
  int error = posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments,
                          environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// The diagnostics of a reply as one message.
std::string replyMessage(const WorkerReply &reply) {
  auto meta = nlohmann::json::parse(reply.meta, nullptr, false);
  std::string text;
  auto append = [&](const std::string &line) {
    text += (text.empty() ? "" : "\n") + line;
  };
  auto stringOf = [](const nlohmann::json &object, const char *key) {
    auto found = object.find(key);
    return found != object.end() && found->is_string()
               ? found->get<std::string>()
               : std::string();
  };
  if (meta.is_object() && meta.contains("diagnostics") &&
      meta["diagnostics"].is_array())
    for (const auto &item : meta["diagnostics"]) {
      if (!item.is_object())
        continue;
      std::string where = stringOf(item, "file");
      auto line = item.find("line");
      if (!where.empty() && line != item.end() && line->is_number_integer())
        where += fmt::format(":{}", line->get<int64_t>());
      append((where.empty() ? "" : where + ": ") + stringOf(item, "message"));
    }
  if (meta.is_object())
    if (std::string file = stringOf(meta, "reproducer"); !file.empty())
      append(fmt::format("reproducer: {}", file));
  return text.empty() ? fmt::format("status {} without a message", reply.status)
                      : text;
}

ErrorCode replyCode(uint32_t status) {
  switch (status) {
  case 1:
    return ErrorCode::Content;
  case 2:
    return ErrorCode::Usage;
  case 3:
    return ErrorCode::File;
  case 4:
    return ErrorCode::Unsupported;
  default:
    return ErrorCode::Internal;
  }
}

std::string describeEnd(int waitStatus) {
  if (WIFSIGNALED(waitStatus)) {
    int number = WTERMSIG(waitStatus);
    return fmt::format("was killed by signal {} ({})", number, strsignal(number));
  }
  return fmt::format("exited with status {}", WEXITSTATUS(waitStatus));
}

/// The last bytes of what a worker printed.
std::string readTail(int fd) {
  constexpr off_t tailBytes = 1000;
  off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
  off_t begin = std::max<off_t>(0, end - tailBytes);
  std::string text(static_cast<size_t>(std::max<off_t>(0, end - begin)), '\0');
  ssize_t got = text.empty() ? 0 : pread(fd, text.data(), text.size(), begin);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0'))
    text.pop_back();
  return text;
}

} // namespace

WorkerClient::~WorkerClient() { stop(); }

Expected<std::string> WorkerClient::program() const {
  const char *variable = std::getenv("MOEC_WORKER");
  std::string chosen = !options.path.empty()        ? options.path
                       : variable && *variable ? variable
                                                    : "";
  if (!chosen.empty()) {
    if (access(chosen.c_str(), X_OK) == 0)
      return chosen;
    return Status(ErrorCode::Worker,
                  fmt::format("the compiler worker '{}' cannot be started: {}; "
                              "MOEC_WORKER (or the option of the context) must "
                              "name the program `moec`",
                              chosen, std::strerror(errno)));
  }
  std::string directory = libraryDirectory(), tried;
  for (const char *relative : besideLibrary) {
    std::string candidate = directory + relative;
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
    tried += (tried.empty() ? "" : ", ") + candidate;
  }
  return Status(ErrorCode::Worker,
                fmt::format("no compiler worker found: tried {}; set MOEC_WORKER to "
                            "the path of `moec`, or give a bundle that has what "
                            "is needed",
                            tried));
}

Status WorkerClient::start() {
  if (pid > 0 && waitpid(pid, nullptr, WNOHANG) == 0)
    return {};
  // None yet, or one that ended while it was idle: nobody waited for it.
  pid = -1;
  stop();
  Expected<std::string> path = program();
  if (!path)
    return path.status();
  int childIn = -1, childOut = -1;
  output = memfd_create("moec-worker-stderr", MFD_CLOEXEC);
  bool made = makePipe(childIn, toWorker) && makePipe(fromWorker, childOut);
  int error = made ? spawnWorker(pid, *path, childIn, childOut,
                                 output >= 0 ? output : STDERR_FILENO)
                   : errno;
  closeFd(childIn);
  closeFd(childOut);
  if (error == 0)
    return {};
  pid = -1;
  stop();
  return {ErrorCode::Worker, fmt::format("cannot start the compiler worker '{}': {}",
                                         *path, std::strerror(error))};
}

void WorkerClient::stop() {
  closeFd(toWorker); // An idle worker leaves at the end of its input.
  closeFd(fromWorker);
  closeFd(output);
  if (pid <= 0)
    return;
  kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR)
    ;
  pid = -1;
}

Status WorkerClient::fail(const Status &cause) {
  pid_t ended = pid;
  int waitStatus = 0;
  // A dead worker's pipe closes a moment before it can be waited for.
  pid_t got = 0;
  for (int attempt = 0; attempt < 50 && got == 0; ++attempt) {
    if (attempt)
      usleep(2000);
    got = waitpid(ended, &waitStatus, WNOHANG);
  }
  std::string how;
  if (got == ended) {
    how = describeEnd(waitStatus);
    pid = -1; // Reaped.
  } else if (got < 0) {
    how = "is gone";
    pid = -1;
  } else {
    how = fmt::format("was stopped: {} ({} s)", cause.message(),
                      double(options.timeLimit.count()) / 1000);
  }
  std::string tail = readTail(output);
  stop();
  return {ErrorCode::Worker,
          fmt::format("the compiler worker (pid {}) {}{}{}{}; the next call starts "
                      "a new one; a bundle made by `moec compile` needs none",
                      ended, how, tail.empty() ? "" : "; it printed: \"", tail,
                      tail.empty() ? "" : "\"")};
}

Expected<std::string> WorkerClient::request(const std::string &json) {
  std::lock_guard lock(mutex);
  if (Status status = start(); !status.ok())
    return status;
  Deadline deadline = std::chrono::steady_clock::now() + options.timeLimit;
  if (Status status = writeRequest(toWorker, json, deadline); !status.ok())
    return fail(status);
  Expected<WorkerReply> reply = readReply(fromWorker, deadline);
  if (!reply)
    return fail(reply.status());
  // What a healthy worker printed is of no use for a later failure.
  if (output >= 0 && ftruncate(output, 0) == 0)
    lseek(output, 0, SEEK_SET);
  if (reply->status != 0)
    return Status(replyCode(reply->status), replyMessage(*reply));
  return std::move(reply->data);
}

} // namespace moec
