// Bundles: round trip, damage of every kind, structure, merging.
#include "runtime/bundle/format.h"
#include "runtime/bundle/verify.h"
#include "tests/unit/sample_bundle.h"

#include <catch2/catch.hpp>

using namespace moec;
using moec::testing::readString;
using moec::testing::sampleBundle;

TEST_CASE("a bundle survives a round trip") {
  Bundle bundle = sampleBundle();
  std::string bytes = writeBundle(bundle);
  Expected<Bundle> read = readString(bytes);
  REQUIRE(read);
  CHECK(writeBundle(*read) == bytes); // Deterministic, and nothing was lost.
  CHECK(read->producer == bundle.producer);
  CHECK(read->kernels[1].block[0] == 256);
  CHECK(read->plans[0].launches[0].args[3].value == -5);
  CHECK(read->plans[0].tensors[1].layout == "i4r3.v1");
  CHECK(read->code[1].bytes == "code object two");
  CHECK(read->texts[0].text == bundle.texts[0].text);
}

TEST_CASE("a bundle cut at any length is an error") {
  std::string bytes = writeBundle(sampleBundle());
  for (size_t length = 0; length < bytes.size(); ++length) {
    Expected<Bundle> read = readString(bytes.substr(0, length));
    REQUIRE_FALSE(read);
    REQUIRE(read.status().code() == ErrorCode::Content);
  }
  Expected<Bundle> cut = readString(bytes.substr(0, bytes.size() - 1));
  CHECK(cut.status().message() ==
        "b.moec: truncated: expected " + std::to_string(bytes.size()) +
            " bytes, found " + std::to_string(bytes.size() - 1));
  CHECK(readString(bytes.substr(0, 20)).status().message() ==
        "b.moec: truncated: the header has 64 bytes, found 20");
}

TEST_CASE("a bundle with any bit flipped is an error") {
  std::string bytes = writeBundle(sampleBundle());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string altered = bytes;
    altered[bit / 8] ^= char(1 << (bit % 8));
    Expected<Bundle> read = readString(altered);
    if (read)
      FAIL("bit " << bit << " was not noticed");
    REQUIRE(read.status().code() == ErrorCode::Content);
  }
  std::string altered = bytes;
  altered.back() ^= 1;
  CHECK(readString(altered).status().message() ==
        "b.moec: altered: its checksum does not match its content; copy or "
        "compile it again");
  CHECK(readString(bytes + "x").status().message() ==
        "b.moec: altered: expected " + std::to_string(bytes.size()) +
            " bytes, found " + std::to_string(bytes.size() + 1));
}

TEST_CASE("a bundle of another version names both") {
  std::string bytes = writeBundle(sampleBundle());
  bytes[8] = 9;
  CHECK(readString(bytes).status().message() ==
        "b.moec: bundle format version 9, this library reads versions 1 to 1; "
        "compile the bundle again or use a newer moec");
}

TEST_CASE("a file that is no bundle says so") {
  CHECK(readString("ELF or anything else").status().message() ==
        "b.moec: not a moec bundle: it does not begin with \"MOECBNDL\"; make "
        "one with `moec compile -o FILE`");
  CHECK(readBundleFile("/nonexistent/x.moec").status().code() == ErrorCode::File);
}

/// Rewrites the lengths of the header behind a good checksum: what the checksum
/// cannot protect against.
TEST_CASE("lengths in the header are not trusted") {
  std::string bytes = writeBundle(sampleBundle());
  for (size_t offset : {12, 40, 48, 56, 60}) {
    for (uint32_t value : {0u, 1u, 63u, 0x7fffffffu, 0xffffffffu}) {
      std::string altered = bytes;
      for (int i = 0; i < 4; ++i)
        altered[offset + i] = char(value >> (8 * i));
      uint8_t sum[16];
      format::checksum(
          {reinterpret_cast<const uint8_t *>(altered.data()), altered.size()},
          sum);
      std::copy(sum, sum + 16, altered.begin() + format::checksumOffset);
      if (altered == bytes)
        continue;
      Expected<Bundle> read = readString(altered);
      // Changed names are legal content; everything else must be refused.
      if (offset != 56 && offset != 60)
        CHECK_FALSE(read);
    }
  }
}

TEST_CASE("a malformed structure is refused with its place") {
  struct {
    const char *what;
    void (*damage)(Bundle &);
    const char *message;
  } cases[] = {
      {"code index", [](Bundle &b) { b.kernels[1].code = 2; },
       "b: malformed: kernels[1] 'kernel1': refers to code[2] of 2"},
      {"kernel index", [](Bundle &b) { b.plans[0].launches[1].kernel = 2; },
       "b: malformed: plans[0] 'int4_silu' bucket 16: launches[1]: refers to "
       "kernels[2] of 2"},
      {"argument count", [](Bundle &b) { b.plans[0].launches[0].args.pop_back(); },
       "b: malformed: plans[0] 'int4_silu' bucket 16: launches[0]: binds 4 "
       "arguments, the kernel 'kernel0' has 5"},
      {"tensor name",
       [](Bundle &b) { b.plans[0].launches[0].args[0].tensor = "y"; },
       "b: malformed: plans[0] 'int4_silu' bucket 16: launches[0]: argument 'x' of "
       "'kernel0' is bound to 'y', which the plan does not list"},
      {"argument size",
       [](Bundle &b) {
         b.plans[0].launches[0].args[3].kind = Binding::Kind::Workspace;
       },
       "b: malformed: plans[0] 'int4_silu' bucket 16: launches[0]: argument 'n' of "
       "'kernel0' has 4 bytes, its binding 8"},
      {"arguments outside", [](Bundle &b) { b.kernels[0].args[4].offset = 32; },
       "b: malformed: kernels[0] 'kernel0': argument 'm' (4 bytes at 32) does not "
       "fit the 32 bytes of arguments"},
      {"target", [](Bundle &b) { b.kernels[0].target = "gfx950"; },
       "b: malformed: kernels[0] 'kernel0': is for the target 'gfx950' in a bundle "
       "for 'gfx942'"},
      {"name twice", [](Bundle &b) { b.kernels[1].name = "kernel0"; },
       "b: malformed: kernels[1] 'kernel0': its name appears twice"},
      {"role", [](Bundle &b) { b.plans[0].tensors[0].role = "inout"; },
       "b: malformed: plans[0] 'int4_silu' bucket 16: the tensor 'x' has the role "
       "'inout', expected input, output or weights"},
      {"grid", [](Bundle &b) { b.plans[0].launches[0].grid[1] = 0; },
       "b: malformed: plans[0] 'int4_silu' bucket 16: launches[0]: has 0 blocks "
       "along y, it must be 1 to 65535"},
      {"deep grid", [](Bundle &b) { b.plans[0].launches[0].grid[2] = 1 << 16; },
       "b: malformed: plans[0] 'int4_silu' bucket 16: launches[0]: has 65536 blocks "
       "along z, it must be 1 to 65535"},
      {"wide grid",
       [](Bundle &b) { b.plans[0].launches[1].grid[0] = 0x80000000; },
       "b: malformed: plans[0] 'int4_silu' bucket 16: launches[1]: has 2147483648 "
       "blocks along x, it must be 1 to 2147483647"},
      {"block", [](Bundle &b) { b.kernels[0].block[1] = 5; }, // 256 * 5 threads.
       "b: malformed: kernels[0] 'kernel0': has an illegal block"},
      {"no experts", [](Bundle &b) { b.plans[0].tensors[1].shape[0] = 0; },
       "b: malformed: plans[0] 'int4_silu' bucket 16: the tensor 'w13' has the "
       "extent 0"},
      {"no extent", [](Bundle &b) { b.plans[0].tensors[0].shape.clear(); },
       "b: malformed: plans[0] 'int4_silu' bucket 16: the tensor 'x' has 0 extents, "
       "it must be 1 to 4"},
      {"row without end",
       [](Bundle &b) { b.plans[0].tensors[0].shape.assign(3, 0x7fffffff); },
       "b: malformed: plans[0] 'int4_silu' bucket 16: the tensor 'x' of shape "
       "[2147483647, 2147483647, 2147483647] has more than 1073741824 elements"},
      {"huge weights",
       [](Bundle &b) { b.plans[0].tensors[1].bytes = uint64_t(1) << 50; },
       "b: malformed: plans[0] 'int4_silu' bucket 16: the tensor 'w13' has "
       "1125899906842624 + 512 bytes, at most 2^48 are possible"},
      {"huge workspace",
       [](Bundle &b) { b.plans[0].workspaceBytes = uint64_t(1) << 62; },
       "b: malformed: plans[0] 'int4_silu' bucket 16: its workspace exceeds 2^48 "
       "bytes"},
  };
  for (const auto &c : cases) {
    INFO(c.what);
    Bundle bundle = sampleBundle();
    REQUIRE(verifyBundle(bundle, "b").ok());
    c.damage(bundle);
    CHECK(verifyBundle(bundle, "b").message() == c.message);
    CHECK_FALSE(readString(writeBundle(bundle)));
  }
}

TEST_CASE("an index with wrong types is refused with its place") {
  Bundle bundle;
  std::vector<format::Blob> blobs;
  auto parse = [&](const char *json) {
    return format::indexFromJson(json, bundle, blobs).message();
  };
  CHECK(parse("[") == "the index is not JSON");
  CHECK(parse("{}") == "the index is malformed: code is missing");
  CHECK(parse(R"({"code":[{"hash":1}]})") ==
        "the index is malformed: code[0].hash is not a string");
  CHECK(parse(R"({"code":[{"hash":"a","offset":-1}]})") ==
        "the index is malformed: code[0].offset is not an unsigned number");
  CHECK(parse(R"({"code":7})") == "the index is malformed: code is not an array");
}

TEST_CASE("merging shares code and keeps names unique") {
  Bundle into = sampleBundle(), from = sampleBundle();
  from.plans[0].bucket = 64;
  for (Kernel &kernel : from.kernels)
    kernel.buckets = {64};
  REQUIRE(mergeBundle(into, from).ok());
  CHECK(into.code.size() == 2);
  CHECK(into.kernels.size() == 2);
  CHECK(into.kernels[0].buckets == std::vector<int64_t>{1, 16, 64});
  CHECK(into.plans.size() == 2);
  CHECK(into.texts.size() == 1);

  Bundle other = sampleBundle();
  other.kernels[0].problem = other.plans[0].problem = R"({"hidden":96})";
  REQUIRE(mergeBundle(into, other).ok());
  CHECK(into.kernels.size() == 3);
  CHECK(into.kernels[2].name == "kernel0.2");
  CHECK(into.plans[2].launches[0].kernel == 2);
  CHECK(into.plans[2].launches[1].kernel == 1);
  CHECK(verifyBundle(into, "b").ok());

  from.target = "gfx950";
  CHECK(mergeBundle(into, from).message() ==
        "cannot merge a bundle for 'gfx950' into one for 'gfx942'; a bundle has "
        "one target");
}
