// The disk cache: hits, damage, trust, and directories that do not work; and how
// its files are written.
#include "runtime/base/file.h"
#include "runtime/cache/cache.h"
#include "tests/unit/sample_bundle.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace moec;
using moec::testing::sampleBundle;

namespace {
/// A new directory, removed at the end.
struct Scratch {
  std::string path;
  Scratch() {
    char name[] = "/tmp/moec-cache-test-XXXXXX";
    REQUIRE(mkdtemp(name));
    path = name;
  }
  ~Scratch() { std::filesystem::remove_all(path); }
};
} // namespace

TEST_CASE("R31 file: a symbolic link stays, what it names is replaced") {
  Scratch scratch;
  std::string file = scratch.path + "/file", link = scratch.path + "/link";
  REQUIRE(writeFileAtomically(file, "old").ok());
  REQUIRE(symlink("file", link.c_str()) == 0); // Relative to its directory.
  REQUIRE(writeFileAtomically(link, "new").ok());
  CHECK(std::filesystem::is_symlink(link));
  CHECK(*readFile(file) == "new");
  REQUIRE(unlink(file.c_str()) == 0); // The link dangles: its target is made.
  REQUIRE(writeFileAtomically(link, "again").ok());
  CHECK(std::filesystem::is_symlink(link));
  CHECK(*readFile(file) == "again");
}

TEST_CASE("R31 file: devices and pipes are written in place") {
  Scratch scratch;
  // Through a link: code that renames would replace the link, not the device.
  std::string full = scratch.path + "/full", pipe = scratch.path + "/pipe";
  REQUIRE(symlink("/dev/full", full.c_str()) == 0);
  Status status = writeFileAtomically(full, "x");
  CHECK(status.code() == ErrorCode::File);
  CHECK(status.message() ==
        "cannot write '" + full + "': No space left on device");
  CHECK(std::filesystem::is_symlink(full));

  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  REQUIRE(writeFileAtomically(pipe, "bytes").ok());
  char got[8] = {};
  CHECK(read(reader, got, sizeof got) == 5);
  CHECK(std::string(got) == "bytes");
  close(reader);
  CHECK(std::filesystem::is_fifo(pipe));
  CHECK(writeFileAtomically(scratch.path, "x").code() == ErrorCode::File);
}

TEST_CASE("cache: what was stored is found again") {
  Scratch scratch;
  Cache cache(scratch.path + "/a/b"); // Made on the first store.
  std::string key = cacheKey({"one", "two"});
  Expected<std::optional<Bundle>> none = cache.load(key);
  REQUIRE(none);
  CHECK_FALSE(none->has_value());
  REQUIRE(cache.store(key, sampleBundle()).ok());
  Expected<std::optional<Bundle>> entry = cache.load(key);
  REQUIRE(entry);
  REQUIRE(entry->has_value());
  CHECK(writeBundle(**entry) == writeBundle(sampleBundle()));
  struct stat info;
  REQUIRE(stat((scratch.path + "/a/b").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  CHECK(cache.counters().hits == 1);
  CHECK(cache.counters().misses == 1);
  CHECK(cache.counters().stores == 1);
  // Nothing but the entry is left in the directory.
  size_t files = 0;
  for (auto &file : std::filesystem::directory_iterator(scratch.path + "/a/b")) {
    ++files;
    CHECK(file.path() == cache.pathOf(key));
  }
  CHECK(files == 1);
}

TEST_CASE("R31 cache: a damaged entry is a miss, removed and counted") {
  Scratch scratch;
  Cache cache(scratch.path);
  std::string key = cacheKey({"k"});
  REQUIRE(cache.store(key, sampleBundle()).ok());
  Expected<std::string> bytes = readFile(cache.pathOf(key));
  REQUIRE(bytes);
  bytes->pop_back();
  REQUIRE(writeFileAtomically(cache.pathOf(key), *bytes).ok());
  Expected<std::optional<Bundle>> entry = cache.load(key);
  REQUIRE(entry);
  CHECK_FALSE(entry->has_value());
  CHECK(cache.counters().damaged == 1);
  CHECK(access(cache.pathOf(key).c_str(), F_OK) != 0);
}

TEST_CASE("R32 cache: a directory that others can write is refused") {
  Scratch scratch;
  Cache cache(scratch.path);
  REQUIRE(cache.store(cacheKey({"k"}), sampleBundle()).ok());
  REQUIRE(chmod(scratch.path.c_str(), 0777) == 0);
  Expected<std::optional<Bundle>> entry = cache.load(cacheKey({"k"}));
  REQUIRE_FALSE(entry);
  CHECK(entry.status().message().find("is not private") != std::string::npos);
  CHECK_FALSE(cache.store(cacheKey({"k"}), sampleBundle()).ok());
}

TEST_CASE("R31 cache: a directory that cannot be made costs a store only") {
  Scratch scratch;
  REQUIRE(writeFileAtomically(scratch.path + "/file", "x").ok());
  Cache cache(scratch.path + "/file/below");
  Expected<std::optional<Bundle>> entry = cache.load("k");
  REQUIRE(entry);
  CHECK_FALSE(entry->has_value());
  CHECK(cache.store("k", sampleBundle()).code() == ErrorCode::File);

  Cache off("");
  CHECK(off.store("k", sampleBundle()).ok());
  CHECK(off.counters().stores == 0);
}

TEST_CASE("R30 cache: keys depend on where a part ends") {
  CHECK(cacheKey({"ab", "c"}) != cacheKey({"a", "bc"}));
  CHECK(cacheKey({"ab", "c"}) == cacheKey({"ab", "c"}));
  CHECK(cacheKey({"ab", ""}) != cacheKey({"ab"}));
}
