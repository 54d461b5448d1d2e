// Frames over file descriptors: short transfers, EINTR, time limits, SIGPIPE.
#include "runtime/base/worker_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace moec {
namespace {

Status ioError(const char *what) {
  return {ErrorCode::Worker,
          fmt::format("{}: {}", what, std::strerror(errno))};
}

/// Waits until `fd` is ready for `events` or the deadline has passed.
Status waitReady(int fd, short events, Deadline deadline) {
  for (;;) {
    int timeout = -1;
    if (deadline) {
      auto left = std::chrono::ceil<std::chrono::milliseconds>(
          *deadline - std::chrono::steady_clock::now());
      timeout = static_cast<int>(
          std::clamp<int64_t>(left.count(), 0, 1'000'000'000));
    }
    pollfd entry{fd, events, 0};
    int ready = poll(&entry, 1, timeout);
    if (ready > 0)
      return {};
    if (ready == 0)
      return {ErrorCode::Worker, "no answer within the time limit"};
    if (errno != EINTR)
      return ioError("poll");
  }
}

/// Reads exactly `size` bytes. `atStart`: an end of file before the first
/// byte is reported by returning false.
Expected<bool> readExactly(int fd, void *into, size_t size, Deadline deadline,
                           bool atStart) {
  size_t done = 0;
  while (done < size) {
    if (Status status = waitReady(fd, POLLIN, deadline); !status.ok())
      return status;
    ssize_t got = read(fd, static_cast<char *>(into) + done, size - done);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (got < 0 && errno != ECONNRESET)
      return ioError("read");
    if (got <= 0) {
      if (done == 0 && atStart)
        return false;
      return Status(ErrorCode::Worker,
                    fmt::format("the other side closed after {} of {} bytes",
                                done, size));
    }
    done += static_cast<size_t>(got);
  }
  return true;
}

/// Reads `size` announced bytes in pieces: memory follows what arrives, not
/// what was announced.
Status readText(int fd, std::string &into, uint64_t size, Deadline deadline) {
  constexpr uint64_t piece = 1 << 20;
  while (into.size() < size) {
    size_t old = into.size();
    into.resize(old + std::min(piece, size - old));
    Expected<bool> got =
        readExactly(fd, into.data() + old, into.size() - old, deadline, false);
    if (!got)
      return got.status();
  }
  return {};
}

/// Keeps SIGPIPE from the process while this thread writes to a pipe whose
/// reader may be gone; the embedding program's handlers stay untouched.
class PipeSignalBlock {
public:
  PipeSignalBlock() {
    sigemptyset(&pipeOnly);
    sigaddset(&pipeOnly, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    wasPending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipeOnly, &previous);
  }
  ~PipeSignalBlock() {
    if (!wasPending) {
      timespec none{0, 0};
      while (sigtimedwait(&pipeOnly, nullptr, &none) < 0 && errno == EINTR)
        ;
    }
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  }
  PipeSignalBlock(const PipeSignalBlock &) = delete;
  PipeSignalBlock &operator=(const PipeSignalBlock &) = delete;

private:
  sigset_t pipeOnly, previous;
  bool wasPending;
};

Status writeExactly(int fd, std::string_view bytes, Deadline deadline) {
  PipeSignalBlock block;
  while (!bytes.empty()) {
    if (Status status = waitReady(fd, POLLOUT, deadline); !status.ok())
      return status;
    // At most PIPE_BUF a call: a blocking pipe that polls ready takes it whole,
    // so that a peer that stops reading cannot hold us past the deadline.
    size_t chunk = deadline ? std::min<size_t>(bytes.size(), 4096) : bytes.size();
    ssize_t put = write(fd, bytes.data(), chunk);
    if (put < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (put < 0)
      return ioError("write");
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return {};
}

void putInt(std::string &out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out.push_back(static_cast<char>(value >> (8 * i)));
}

uint64_t getInt(const unsigned char *from, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value |= uint64_t(from[i]) << (8 * i);
  return value;
}

Status tooLong(const char *what, uint64_t size, uint64_t limit) {
  return {ErrorCode::Worker,
          fmt::format("{} of {} bytes is longer than the limit of {}", what,
                      size, limit)};
}

} // namespace

Status writeRequest(int fd, std::string_view json, Deadline deadline) {
  if (json.size() > maxWorkerText)
    return tooLong("a request", json.size(), maxWorkerText);
  std::string frame;
  putInt(frame, json.size(), 4);
  frame += json;
  return writeExactly(fd, frame, deadline);
}

Expected<std::optional<std::string>> readRequest(int fd, Deadline deadline) {
  unsigned char header[4];
  Expected<bool> got = readExactly(fd, header, sizeof header, deadline, true);
  if (!got)
    return got.status();
  if (!*got)
    return std::optional<std::string>();
  uint64_t size = getInt(header, 4);
  if (size > maxWorkerText)
    return tooLong("a request", size, maxWorkerText);
  std::string json;
  if (Status status = readText(fd, json, size, deadline); !status.ok())
    return status;
  return std::optional<std::string>(std::move(json));
}

Status writeReply(int fd, const WorkerReply &reply, Deadline deadline) {
  if (reply.meta.size() > maxWorkerText)
    return tooLong("reply metadata", reply.meta.size(), maxWorkerText);
  if (reply.data.size() > maxWorkerData)
    return tooLong("reply data", reply.data.size(), maxWorkerData);
  std::string header;
  putInt(header, reply.meta.size(), 4);
  putInt(header, reply.status, 4);
  putInt(header, reply.data.size(), 8);
  for (std::string_view part : {std::string_view(header),
                                std::string_view(reply.meta),
                                std::string_view(reply.data)})
    if (Status status = writeExactly(fd, part, deadline); !status.ok())
      return status;
  return {};
}

Expected<WorkerReply> readReply(int fd, Deadline deadline) {
  unsigned char header[16];
  Expected<bool> got = readExactly(fd, header, sizeof header, deadline, false);
  if (!got)
    return got.status();
  uint64_t metaSize = getInt(header, 4), dataSize = getInt(header + 8, 8);
  if (metaSize > maxWorkerText)
    return tooLong("reply metadata", metaSize, maxWorkerText);
  if (dataSize > maxWorkerData)
    return tooLong("reply data", dataSize, maxWorkerData);
  WorkerReply reply;
  reply.status = static_cast<uint32_t>(getInt(header + 4, 4));
  if (Status s = readText(fd, reply.meta, metaSize, deadline); !s.ok())
    return s;
  if (Status s = readText(fd, reply.data, dataSize, deadline); !s.ok())
    return s;
  return reply;
}

} // namespace moec
