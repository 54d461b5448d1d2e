// Whole files in and out, over POSIX calls so that every failure has an errno.
#include "runtime/base/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace moec {

static Status fileError(const char *verb, const std::string &path, int error) {
  return {ErrorCode::File,
          fmt::format("cannot {} '{}': {}", verb, path, std::strerror(error))};
}

Expected<std::string> readFile(const std::string &path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return fileError("open", path, errno);
  struct stat info;
  if (fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
    int error = S_ISDIR(info.st_mode) ? EISDIR : errno;
    close(fd);
    return fileError("read", path, error);
  }
  std::string bytes;
  if (info.st_size > 0)
    bytes.reserve(static_cast<size_t>(info.st_size));
  char chunk[65536];
  // Reads to the end rather than st_size bytes: pipes and growing files work.
  for (;;) {
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      int error = errno;
      close(fd);
      return fileError("read", path, error);
    }
    if (got == 0)
      break;
    bytes.append(chunk, static_cast<size_t>(got));
  }
  close(fd);
  return bytes;
}

static bool writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

/// The name behind symbolic links; the file itself need not exist. Links that
/// never end are left for the open that follows to refuse.
static std::string followLinks(std::string path) {
  constexpr int maxLinks = 40; // As Linux has it.
  for (int links = 0; links < maxLinks; ++links) {
    char target[PATH_MAX];
    ssize_t length = readlink(path.c_str(), target, sizeof target);
    if (length <= 0)
      break;
    // A relative target counts from the directory of its link.
    size_t directory = target[0] == '/' ? 0 : path.rfind('/') + 1;
    path.replace(directory, std::string::npos, target, size_t(length));
  }
  return path;
}

static Status writeInPlace(const std::string &path, std::string_view bytes) {
  int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return fileError("write", path, errno);
  bool good = writeAll(fd, bytes);
  int error = errno;
  if (close(fd) != 0 && good) {
    error = errno;
    good = false;
  }
  return good ? Status() : fileError("write", path, error);
}

Status writeFileAtomically(const std::string &path, std::string_view bytes) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return writeInPlace(path, bytes);
  std::string target = followLinks(path), aside = target + ".XXXXXX";
  int fd = mkostemp(aside.data(), O_CLOEXEC);
  if (fd < 0)
    return fileError("write", path, errno);
  // mkostemp makes the file private; a result gets the usual permissions.
  mode_t mask = umask(0);
  umask(mask);
  bool good = fchmod(fd, 0666 & ~mask) == 0 && writeAll(fd, bytes) &&
              fsync(fd) == 0;
  int error = errno;
  if (close(fd) != 0 && good) {
    error = errno;
    good = false;
  }
  if (good && rename(aside.c_str(), target.c_str()) == 0)
    return {};
  if (good)
    error = errno;
  unlink(aside.c_str());
  return fileError("write", path, error);
}

} // namespace moec
