// Loading code objects: what clang writes, and what nobody should.
#include "runtime/hipsim/isa/code_object.h"
#include "runtime/hipsim/isa/metadata_reader.h"
#include "tests/sim/isa/reference_tools.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <random>

using namespace hipsim;
using namespace hipsim::test;

static CodeObject load(const std::vector<uint8_t> &file) {
  CodeObject object;
  std::string error;
  const bool loaded = loadCodeObject(file.data(), file.size(), object, error);
  INFO(error);
  REQUIRE(loaded);
  return object;
}

static std::string loadError(const std::vector<uint8_t> &file) {
  CodeObject object;
  std::string error;
  CHECK_FALSE(loadCodeObject(file.data(), file.size(), object, error));
  return error;
}

TEST_CASE("a compiled code object loads") {
  const Arch arch = GENERATE(Arch::Gfx942, Arch::Gfx950);
  const CodeObject object = load(readFile(kernelPath("dec_memory", arch, 3)));
  CHECK(object.arch == arch);
  CHECK(object.target.find(archName(arch)) != std::string::npos);
  CHECK(object.textSize > 0);

  const KernelDescriptor *lanes = object.findKernel("lanes");
  REQUIRE(lanes);
  CHECK(lanes->symbol == "lanes.kd");
  // (out, in, n): two pointers and a 32-bit value, then hidden arguments.
  REQUIRE(lanes->args.size() >= 3);
  CHECK(lanes->args[0].valueKind == "global_buffer");
  CHECK(lanes->args[1].offset == 8);
  CHECK(lanes->args[2].valueKind == "by_value");
  CHECK(lanes->args[2].offset == 16);
  CHECK(lanes->args[2].size == 4);
  CHECK(lanes->kernargBytes >= 20);
  CHECK(lanes->enableKernargSegmentPtr);
  CHECK(lanes->accumOffset % 4 == 0);
  CHECK(lanes->vgprs % 8 == 0);
  CHECK(unsigned(lanes->floatMode) == 0xf0); // Round to nearest, denormals kept.
  CHECK(lanes->ieee);
  CHECK(lanes->dx10Clamp);
  CHECK_FALSE(lanes->wave32);
  CHECK(object.findKernel("missing") == nullptr);

  const KernelDescriptor *generic = object.findKernel("generic");
  REQUIRE(generic);
  CHECK(generic->privateSegmentBytes >= 128); // u32 local[32]
  CHECK(generic->scratchEnabled);
}

TEST_CASE("globals have their place and their bytes") {
  const CodeObject object = load(readFile(kernelPath("dec_memory", Arch::Gfx942, 3)));
  const GlobalSymbol *table = object.findGlobal("table");
  REQUIRE(table);
  CHECK(table->size == 64 * 4);
  uint32_t first[3];
  std::memcpy(first, object.image.data() + table->vaddr, sizeof first);
  CHECK(first[0] == 1);
  CHECK(first[2] == 3);
}

TEST_CASE("a code object for the other architecture is refused by name") {
  const std::vector<uint8_t> file = readFile(kernelPath("dec_memory", Arch::Gfx950, 3));
  CodeObject object;
  std::string error;
  CHECK_FALSE(loadCodeObject(file.data(), file.size(), Arch::Gfx942, object, error));
  CHECK(error == "the code object is for gfx950, the simulated device is gfx942; compile with "
                 "--offload-arch=gfx942 or set HIPSIM_ARCH=gfx950");
  std::vector<uint8_t> other = file;
  other[48] = 0x3f; // e_flags of gfx90a
  CHECK(loadError(other).find("it is for gfx90a, the simulator knows gfx942 and gfx950") !=
        std::string::npos);
}

TEST_CASE("what is not a code object says so") {
  CHECK(loadError({}) == "code object of 0 bytes: shorter than an ELF header (64 bytes)");
  CHECK(loadError(std::vector<uint8_t>(100, 'x')) ==
        "code object of 100 bytes: no ELF magic at byte 0; pass an hsaco, not an offload bundle or LLVM IR");
  std::vector<uint8_t> host = readFile("/proc/self/exe");
  CHECK(loadError(host).find("expected 224 (AMDGPU)") != std::string::npos);
}

TEST_CASE("every truncation is refused or loads, and never crashes") {
  const std::vector<uint8_t> file = readFile(kernelPath("dec_matrix", Arch::Gfx942, 3));
  unsigned loaded = 0;
  for (size_t size = 0; size < file.size(); ++size) {
    // A copy of exactly this size, so that a sanitizer sees a read past it.
    const std::vector<uint8_t> cut(file.begin(), file.begin() + long(size));
    CodeObject object;
    std::string error;
    if (loadCodeObject(cut.data(), cut.size(), object, error))
      ++loaded;
    else
      REQUIRE(!error.empty());
  }
  CHECK(loaded == 0); // The section headers stand at the very end.
}

TEST_CASE("flipped bytes never crash the loader") {
  const std::vector<uint8_t> file = readFile(kernelPath("dec_matrix", Arch::Gfx950, 3));
  for (size_t i = 0; i < file.size(); ++i) {
    std::vector<uint8_t> damaged = file;
    damaged[i] ^= uint8_t(1u << i % 8 | 0x80);
    CodeObject object;
    std::string error;
    if (!loadCodeObject(damaged.data(), damaged.size(), object, error))
      REQUIRE(!error.empty());
    else
      for (const KernelDescriptor &kernel : object.kernels)
        REQUIRE(kernel.entry < object.textSize);
  }
}

TEST_CASE("random damage never crashes the loader") {
  const std::vector<uint8_t> file = readFile(kernelPath("dec_memory", Arch::Gfx950, 1));
  std::mt19937 random(7); // Fixed: a failure repeats.
  for (unsigned round = 0; round < 3000; ++round) {
    std::vector<uint8_t> damaged = file;
    for (unsigned flips = 0; flips < 8; ++flips)
      damaged[random() % damaged.size()] = uint8_t(random());
    CodeObject object;
    std::string error;
    if (!loadCodeObject(damaged.data(), damaged.size(), object, error))
      REQUIRE(!error.empty());
  }
}

static std::string metadataError(std::vector<uint8_t> bytes) {
  MetadataValue value;
  std::string error;
  CHECK_FALSE(readMetadata(bytes.data(), bytes.size(), value, error));
  return error;
}

TEST_CASE("metadata: values of every kind") {
  // {"a": [1, -1, 300, true, nil], "b": "xy"}
  const std::vector<uint8_t> bytes = {0x82, 0xa1, 'a', 0x95, 0x01, 0xff, 0xcd, 0x01, 0x2c,
                                      0xc3, 0xc0, 0xa1, 'b', 0xd9, 0x02, 'x', 'y'};
  MetadataValue value;
  std::string error;
  REQUIRE(readMetadata(bytes.data(), bytes.size(), value, error));
  const MetadataValue *a = value.find("a");
  REQUIRE(a);
  REQUIRE(a->items.size() == 5);
  CHECK(a->items[0].integer == 1);
  CHECK(a->items[1].integer == -1);
  CHECK(a->items[2].integer == 300);
  CHECK(a->items[3].kind == MetadataValue::Kind::Boolean);
  CHECK(a->items[4].kind == MetadataValue::Kind::Nil);
  REQUIRE(value.find("b"));
  CHECK(value.find("b")->string == "xy");
  CHECK(value.find("c") == nullptr);
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(readMetadata(std::vector<uint8_t>(bytes.begin(), bytes.begin() + long(size)).data(),
                             size, value, error));
}

TEST_CASE("metadata: hostile lengths and nesting") {
  // An array that claims 4 billion items in one byte of data.
  CHECK(metadataError({0xdd, 0xff, 0xff, 0xff, 0xff, 0x00}) ==
        "an array of 4294967295 items passes the end at byte 5");
  CHECK(metadataError({0xdf, 0xff, 0xff, 0xff, 0xff, 0xa0, 0x00}) ==
        "a map of 4294967295 entries passes the end at byte 5");
  CHECK(metadataError({0xdb, 0x00, 0x00, 0x00, 0x05, 'x'}) ==
        "a string of 5 bytes passes the end at byte 5");
  CHECK(metadataError(std::vector<uint8_t>(100000, 0x91)) ==
        "values nested deeper than 16 at byte 17");
  CHECK(metadataError({0x81, 0x01, 0x02}) == "a map key that is not a string at byte 2");
  CHECK(metadataError({0xc1}) == "type byte 193 is not used by metadata at byte 1");
}
