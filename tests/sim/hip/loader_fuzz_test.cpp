// The loader with damaged code objects: an error or a module, never a crash, and
// never a read beyond the image, which ends at an unreadable page.
//
// HIPSIM_FUZZ_SEED and HIPSIM_FUZZ_COUNT choose the run; a failure prints the
// command that repeats it.
#include "tests/sim/hip/surface.h"

#include <cstdlib>
#include <fstream>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

namespace {

uint64_t setting(const char *name, uint64_t byDefault) {
  const char *text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 0) : byDefault;
}

std::vector<char> readKernels() {
  std::ifstream file(HIPSIM_TEST_KERNELS "/hip_surface.hsaco", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Room for an image that ends where readable memory ends.
class GuardedImage {
public:
  explicit GuardedImage(size_t limit) : bytes((limit + 4095) & ~size_t(4095)) {
    mapping = static_cast<char *>(mmap(nullptr, bytes + 4096, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(mapping != MAP_FAILED);
    REQUIRE(mprotect(mapping + bytes, 4096, PROT_NONE) == 0);
  }
  ~GuardedImage() { munmap(mapping, bytes + 4096); }
  const void *place(const std::vector<char> &image) {
    char *at = mapping + bytes - image.size();
    std::memcpy(at, image.data(), image.size());
    return at;
  }

private:
  size_t bytes;
  char *mapping;
};

/// Truncation, changed bytes (headers more often), and interesting integers.
void damage(std::vector<char> &image, std::mt19937_64 &random) {
  static const uint64_t values[] = {0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff,
                                    0x100000000, 0x7fffffffffffffff, 0xffffffffffffffff};
  if (random() % 8 == 0)
    image.resize(1 + random() % image.size());
  for (uint64_t n = 1 + random() % 8; n; --n) {
    uint64_t range = random() % 2 ? std::min<uint64_t>(image.size(), 512) : image.size();
    uint64_t at = random() % range;
    if (random() % 3) {
      image[at] = char(random());
    } else {
      uint64_t value = values[random() % std::size(values)] + random() % 3 - 1;
      std::memcpy(&image[at], &value, std::min<size_t>(1u << random() % 4, image.size() - at));
    }
  }
}

/// What a program does with a module, short of running it.
void use(hipModule_t module) {
  for (const char *name : {"add", "scale", "mixed"}) {
    hipFunction_t function;
    int value;
    if (hipModuleGetFunction(&function, module, name) != hipSuccess)
      continue;
    for (int attribute = 0; attribute < 10; ++attribute)
      (void)hipFuncGetAttribute(&value, hipFunction_attribute(attribute), function);
    (void)hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 64, 0);
    // Refused or not, a launch without arguments must not be reached by a crash.
    (void)hipModuleLaunchKernel(function, 0, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr);
  }
}

} // namespace

TEST_CASE("Unit_hipModuleLoadData_Fuzz", "[bad][fuzz]") {
  uint64_t seed = setting("HIPSIM_FUZZ_SEED", 20240611);
  uint64_t count = setting("HIPSIM_FUZZ_COUNT", 20000);
  WARN("HIPSIM_FUZZ_SEED=" << seed << " HIPSIM_FUZZ_COUNT=" << count
                           << " hipsim_hip_test Unit_hipModuleLoadData_Fuzz");
  const std::vector<char> original = readKernels();
  REQUIRE(original.size() > 1000);
  GuardedImage room(original.size());
  uint64_t loaded = 0, refused = 0;
  for (uint64_t i = 0; i < count; ++i) {
    std::mt19937_64 random(seed + i);
    std::vector<char> image = original;
    damage(image, random);
    hipModule_t module = nullptr;
    hipError_t error = hipModuleLoadData(&module, room.place(image));
    bool known = error == hipSuccess || error == hipErrorInvalidImage ||
                 error == hipErrorNoBinaryForGpu;
    if (!known || (error == hipSuccess) != (module != nullptr))
      FAIL("image " << i << " gave " << hipGetErrorName(error) << "; rerun: HIPSIM_FUZZ_SEED="
                    << seed + i << " HIPSIM_FUZZ_COUNT=1");
    if (module) {
      use(module);
      HIP_OK(hipModuleUnload(module));
    }
    ++(module ? loaded : refused);
  }
  // Both outcomes are common, or the damage tests nothing.
  INFO(loaded << " loaded, " << refused << " refused");
  if (count >= 1000) {
    CHECK(loaded > count / 100);
    CHECK(refused > count / 10);
  }
}

TEST_CASE("Unit_hipModuleLoadData_EveryTruncation", "[bad][fuzz]") {
  const std::vector<char> original = readKernels();
  GuardedImage room(original.size());
  for (size_t size = 1; size < original.size(); ++size) {
    hipModule_t module = nullptr;
    std::vector<char> image(original.begin(), original.begin() + ptrdiff_t(size));
    INFO("the first " << size << " bytes");
    REQUIRE(hipModuleLoadData(&module, room.place(image)) == hipErrorInvalidImage);
  }
}
