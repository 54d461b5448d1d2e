// The cache directory: trust, lookup, storing.
#include "runtime/cache/cache.h"

#include "runtime/base/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace moec {
namespace {

/// Makes `path` and its parents, the last one private.
Status makeDirectory(const std::string &path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    std::string part = path.substr(0, end);
    mode_t mode = end == std::string::npos ? 0700 : 0755;
    if (mkdir(part.c_str(), mode) != 0 && errno != EEXIST)
      return {ErrorCode::File, fmt::format("cannot make the cache directory '{}': {}",
                                           part, std::strerror(errno))};
    if (end == std::string::npos)
      return {};
  }
}

/// Whether the directory exists; an error if others could put code into it.
Expected<bool> checkTrust(const std::string &directory) {
  struct stat info;
  if (stat(directory.c_str(), &info) != 0)
    return false;
  if (!S_ISDIR(info.st_mode))
    return Status(ErrorCode::File,
                  fmt::format("the cache '{}' is not a directory; set "
                              "MOEC_CACHE_DIR to one, or to \"\" for no cache",
                              directory));
  bool owned = info.st_uid == geteuid() || info.st_uid == 0;
  if (owned && !(info.st_mode & (S_IWGRP | S_IWOTH)))
    return true;
  return Status(
      ErrorCode::File,
      fmt::format("the cache directory '{}' is not private: owner {}, mode {:o}; "
                  "cached code runs on the GPU, so only you may write there: "
                  "chmod go-w it or set MOEC_CACHE_DIR to another directory",
                  directory, info.st_uid, info.st_mode & 0777));
}

} // namespace

std::string Cache::defaultDirectory() {
  if (const char *chosen = std::getenv("MOEC_CACHE_DIR"))
    return chosen;
  const char *xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg && *xdg == '/')
    return std::string(xdg) + "/moec";
  const char *home = std::getenv("HOME");
  if (home && *home == '/')
    return std::string(home) + "/.cache/moec";
  return "";
}

std::string Cache::pathOf(const std::string &key) const {
  return directory + "/" + key + ".moec";
}

Expected<std::optional<Bundle>> Cache::load(const std::string &key) {
  std::optional<Bundle> nothing;
  if (!enabled())
    return nothing;
  Expected<bool> present = checkTrust(directory);
  if (!present)
    return present.status();
  if (!*present) {
    ++misses;
    return nothing;
  }
  std::string path = pathOf(key);
  Expected<Bundle> bundle = readBundleFile(path);
  if (bundle) {
    ++hits;
    return std::optional<Bundle>(bundle.take());
  }
  ++misses;
  if (bundle.status().code() == ErrorCode::Content) {
    ++damaged;
    unlink(path.c_str()); // In a read-only cache it stays, and stays a miss.
  }
  return nothing;
}

Status Cache::store(const std::string &key, const Bundle &bundle) {
  if (!enabled())
    return {};
  if (Status status = makeDirectory(directory); !status.ok())
    return status;
  Expected<bool> present = checkTrust(directory);
  if (!present)
    return present.status();
  Status status = writeBundleFile(bundle, pathOf(key));
  if (status.ok())
    ++stores;
  return status;
}

CacheCounters Cache::counters() const {
  return {hits.load(), misses.load(), damaged.load(), stores.load()};
}

std::string cacheKey(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (std::string_view part : parts) {
    all += fmt::format("{}:", part.size());
    all += part;
  }
  return contentHash(all);
}

} // namespace moec
