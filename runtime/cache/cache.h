// Bundles on disk, keyed by what they were made from.
//
// One directory, one file an entry, each an ordinary bundle. Cached code runs on
// the user's GPU: a directory that others can write is refused (R32). A cache
// that is missing, full, read-only or damaged costs time, never correctness
// (R31): `load` misses and `store` reports what `log` may say.
#pragma once

#include "runtime/bundle/bundle.h"

#include <atomic>
#include <optional>

namespace moec {

/// Counters of one process.
struct CacheCounters {
  uint64_t hits = 0, misses = 0, damaged = 0, stores = 0;
};

/// Threads and processes may share a directory; threads may share a Cache.
class Cache {
public:
  /// A cache in `directory`; "" is a cache that never holds anything.
  explicit Cache(std::string directory) : directory(std::move(directory)) {}

  /// MOEC_CACHE_DIR ("" turns the cache off), else $XDG_CACHE_HOME/moec, else
  /// $HOME/.cache/moec, else off.
  static std::string defaultDirectory();

  bool enabled() const { return !directory.empty(); }
  std::string pathOf(const std::string &key) const;

  /// The entry of `key`, or nothing. A damaged entry is removed and counted.
  /// An error only if the directory must not be trusted.
  Expected<std::optional<Bundle>> load(const std::string &key);

  /// Stores an entry, making the directory if needed.
  Status store(const std::string &key, const Bundle &bundle);

  CacheCounters counters() const;

private:
  std::string directory;
  std::atomic<uint64_t> hits{0}, misses{0}, damaged{0}, stores{0};
};

/// The key of a content: 32 hex digits. Two different lists of parts never
/// give the same key by concatenation.
std::string cacheKey(std::initializer_list<std::string_view> parts);

} // namespace moec
