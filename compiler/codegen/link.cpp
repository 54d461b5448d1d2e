// lld::elf in process; see link.h.
//
// Input is a memfd. Output cannot be one (lld creates a sibling of a regular
// output file and renames it), but lld writes a pipe from a buffer in memory.

#include "compiler/codegen/link.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace {

/// A file descriptor with an owner.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd(fd) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() { reset(); }
  void reset(int other = -1) {
    if (fd >= 0)
      ::close(fd);
    fd = other;
  }
  int get() const { return fd; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd); }

private:
  int fd;
};

bool writeAll(int fd, const std::string &bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    done += size_t(n);
  }
  return true;
}

/// What the linker writes, and the end of the pipe it is read from.
struct Output {
  explicit Output(int fd) : readEnd(fd) {}
  void readAll() {
    char buffer[1 << 16];
    for (;;) {
      ssize_t n = ::read(readEnd.get(), buffer, sizeof buffer);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return;
      bytes.append(buffer, size_t(n));
    }
  }
  Descriptor readEnd;
  std::string bytes;
};

std::mutex linkerMutex;
bool linkerLost = false; ///< After a crash inside lld; guarded by the mutex.

} // namespace

std::string moec::linkCodeObject(const std::string &object,
                                 std::string &hsaco) {
  Descriptor input(::memfd_create("moec-object", MFD_CLOEXEC));
  int ends[2];
  if (input.get() < 0 || !writeAll(input.get(), object) ||
      ::pipe2(ends, O_CLOEXEC) != 0)
    return std::string("cannot pass the object to the linker: ") +
           std::strerror(errno);
  Descriptor writeEnd(ends[1]);
  auto output = std::make_shared<Output>(ends[0]);

  std::string inputPath = input.path(), outputPath = writeEnd.path();
  const char *arguments[] = {
      "ld.lld",      "-shared",         "--no-undefined",
      "--threads=1", "--build-id=none", inputPath.c_str(),
      "-o",          outputPath.c_str()};
  std::string messages;
  llvm::raw_string_ostream messageStream(messages);

  std::lock_guard<std::mutex> lock(linkerMutex);
  if (linkerLost)
    return "the linker crashed earlier in this process; restart it";
  std::thread reader([output] { output->readAll(); });
  lld::Result result = lld::lldMain(arguments, messageStream, messageStream,
                                    {{lld::Gnu, &lld::elf::link}});
  writeEnd.reset();
  linkerLost = !result.canRunAgain;
  if (linkerLost) {
    // lld may have left its own copy of the pipe open: never wait for it.
    reader.detach();
    return "the linker crashed; " + messages;
  }
  reader.join();
  hsaco = std::move(output->bytes);
  if (result.retCode == 0 && !hsaco.empty())
    return {};
  return messages.empty() ? "the linker produced nothing" : messages;
}
