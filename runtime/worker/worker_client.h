// The compiler as another process: starts it, asks it, survives it.
//
// LLVM can crash or hang on bad input; in a process of its own it takes nothing
// with it. A worker that dies, is late or is missing is an error of the request
// that it served; the next request starts a new one. Nothing here retries.
#pragma once

#include "runtime/base/worker_protocol.h"

#include <chrono>
#include <mutex>
#include <string>
#include <sys/types.h>

namespace moec {

class WorkerClient {
public:
  struct Options {
    std::string path; ///< "": MOEC_WORKER, else `moec` beside the library.
    std::chrono::milliseconds timeLimit{60'000}; ///< For each request.
  };

  explicit WorkerClient(Options options) : options(std::move(options)) {}
  ~WorkerClient();
  WorkerClient(const WorkerClient &) = delete;
  WorkerClient &operator=(const WorkerClient &) = delete;

  /// The program that would be started, or where it was looked for.
  Expected<std::string> program() const;

  /// Sends one request (moec/compiler.h) and returns the data of the reply. A
  /// reply with a status becomes an error with its diagnostics. Threads take
  /// turns.
  Expected<std::string> request(const std::string &json);

private:
  Status start();
  /// Ends the worker and says how it ended, with what it printed last.
  Status fail(const Status &cause);
  void stop();

  Options options;
  std::mutex mutex; ///< Guards the process below.
  pid_t pid = -1;
  int toWorker = -1, fromWorker = -1;
  int output = -1; ///< Memory file that catches the worker's stderr.
};

} // namespace moec
