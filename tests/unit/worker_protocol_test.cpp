// Frames: round trips, ends of file, limits, deadlines, dead readers.
#include "runtime/base/worker_protocol.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <thread>
#include <unistd.h>

using namespace moec;

namespace {
struct Pipe {
  int ends[2];
  Pipe() { REQUIRE(pipe(ends) == 0); }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  void closeEnd(int i) {
    if (ends[i] >= 0)
      close(ends[i]);
    ends[i] = -1;
  }
};
Deadline in(int ms) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
}
} // namespace

TEST_CASE("frames survive short transfers") {
  Pipe pipe;
  // Larger than a pipe's buffer, so that both sides meet many times.
  WorkerReply sent{4, R"({"diagnostics":[]})", std::string(3 << 20, 'd')};
  std::thread writer([&] {
    CHECK(writeRequest(pipe.ends[1], R"({"op":"compile"})").ok());
    CHECK(writeReply(pipe.ends[1], sent).ok());
    pipe.closeEnd(1);
  });
  Expected<std::optional<std::string>> request = readRequest(pipe.ends[0]);
  REQUIRE(request);
  CHECK(**request == R"({"op":"compile"})");
  Expected<WorkerReply> reply = readReply(pipe.ends[0], in(20000));
  REQUIRE(reply);
  CHECK(reply->status == 4);
  CHECK(reply->meta == sent.meta);
  CHECK(reply->data == sent.data);
  Expected<std::optional<std::string>> end = readRequest(pipe.ends[0]);
  REQUIRE(end);
  CHECK_FALSE(end->has_value());
  writer.join();
}

TEST_CASE("a frame that ends early is an error") {
  Pipe pipe;
  REQUIRE(write(pipe.ends[1], "\x10\0\0\0ab", 6) == 6);
  pipe.closeEnd(1);
  CHECK(readRequest(pipe.ends[0]).status().message() ==
        "the other side closed after 2 of 16 bytes");
}

TEST_CASE("a length beyond the limit is refused before memory is taken") {
  Pipe pipe;
  REQUIRE(write(pipe.ends[1], "\xff\xff\xff\xff", 4) == 4);
  CHECK(readRequest(pipe.ends[0]).status().message() ==
        "a request of 4294967295 bytes is longer than the limit of 67108864");
}

TEST_CASE("a silent peer is given up at the deadline") {
  Pipe pipe;
  CHECK(readReply(pipe.ends[0], in(20)).status().message() ==
        "no answer within the time limit");
  // Nobody reads: the pipe fills, then the writer gives up.
  CHECK(writeRequest(pipe.ends[1], std::string(1 << 20, 'x'), in(50)).message() ==
        "no answer within the time limit");
}

TEST_CASE("writing to a dead peer is an error and no signal") {
  Pipe pipe;
  pipe.closeEnd(0);
  Status status = writeRequest(pipe.ends[1], "{}");
  CHECK(status.message() == "write: Broken pipe");
  sigset_t pending;
  sigpending(&pending);
  CHECK_FALSE(sigismember(&pending, SIGPIPE));
}
