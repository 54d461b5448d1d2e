// Compiling and running a batch; see batch.h.
//
// The host's kernels and each device's run in processes of their own: a crash
// or an endless loop is a failure of its kernel, not of the test, and the
// simulator is one architecture per process. Results go through shared memory.
#include "tests/sim/differential/batch.h"

#include "tests/sim/differential/generator.h"
#include "tests/sim/differential/layout.h"
#include "runtime/hipsim/hip/hip_api.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace differential {

namespace {

constexpr uint32_t maxGrid = 3, maxItems = maxGrid * MAX_BLOCK;
constexpr unsigned secondsForRun = 300;
constexpr const char *archs[] = {"gfx942", "gfx950"};

/// What a kernel writes, and whether it ran.
struct alignas(64) Results {
  uint8_t own[maxItems * OWN_BYTES];
  uint8_t acc[ACC_BYTES];
  float approx[maxItems * APPROX_VALUES];
  uint32_t items;
  uint32_t finished;
  char error[1024];
};

/// Results of a batch that child processes fill in.
class SharedResults {
public:
  explicit SharedResults(size_t count) : bytes(count * sizeof(Results)) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      std::abort();
    all = static_cast<Results *>(memory);
  }
  ~SharedResults() { munmap(all, bytes); }
  SharedResults(const SharedResults &) = delete;
  SharedResults &operator=(const SharedResults &) = delete;
  Results &operator[](size_t i) const { return all[i]; }

private:
  Results *all;
  size_t bytes;
};

std::vector<uint8_t> inputOf(uint64_t seed) {
  // Some of the values that break things, in every width.
  static const uint32_t special[] = {0,          1,          0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000,
                                     0xbf800000, 0x7f800000, 0xff800000, 0x00000001, 0x00800000, 0x7f7fffff,
                                     0x3c003c00, 0x7ff00000, 0x03ff8001, 0x7bff7c00, 0x80000001, 0x3fe00000};
  Random random(seed ^ 0xabcdef);
  std::vector<uint8_t> bytes(IN_BYTES + 64);
  for (size_t i = 0; i < bytes.size(); i += 4) {
    uint32_t word = random.chance(20)   ? special[random.below(uint32_t(std::size(special)))]
                    : random.chance(20) ? random.below(64)
                    : random.chance(40) ? (uint32_t(random.bits()) & 0x80ffffff) + 0x3c000000 + (random.below(8) << 24)
                                        : uint32_t(random.bits());
    std::memcpy(bytes.data() + i, &word, 4);
  }
  return bytes;
}

/// Runs `body` in a process of its own; the text says how it ended.
template <class Body> std::string inChild(Body body) {
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    alarm(secondsForRun);
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM ? "did not end in time" : std::string("died: ") + strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) ? "ended with exit code " + std::to_string(WEXITSTATUS(status)) : "";
}

using HostKernel = void (*)(const uint8_t *in, uint8_t *out, uint8_t *acc, float *approx);

void runOnHost(const std::string &library, const std::vector<uint64_t> &seeds, const SharedResults &out) {
  void *handle = dlopen(library.c_str(), RTLD_NOW);
  for (size_t i = 0; i < seeds.size(); ++i) {
    std::string name = "k" + std::to_string(seeds[i]);
    auto kernel = handle ? reinterpret_cast<HostKernel>(dlsym(handle, name.c_str())) : nullptr;
    if (!kernel) {
      std::snprintf(out[i].error, sizeof(out[i].error), "%s", dlerror());
      continue;
    }
    auto size = [&](const char *what) { return *static_cast<const uint32_t *>(dlsym(handle, (name + what).c_str())); };
    out[i].items = size("_block") * size("_grid");
    kernel(inputOf(seeds[i]).data(), out[i].own, out[i].acc, out[i].approx);
    out[i].finished = 1;
  }
}

/// Device memory for the length of the process.
void *deviceCopy(const void *content, size_t bytes) {
  void *pointer = nullptr;
  if (hipMalloc(&pointer, bytes) != hipSuccess || hipMemcpy(pointer, content, bytes, hipMemcpyHostToDevice) != hipSuccess)
    return nullptr;
  return pointer;
}

void runOnDevice(const std::string &arch, const std::string &codeObject, const std::vector<uint64_t> &seeds,
                 const SharedResults &host, const std::vector<uint32_t> &blocks, const SharedResults &out) {
  setenv("HIPSIM_ARCH", arch.c_str(), 1);
  setenv("HIPSIM_THREADS", "1", 0);
  setenv("HIPSIM_POISON", "1", 0);
  for (size_t i = 0; i < seeds.size(); ++i) {
    Results &result = out[i];
    auto failed = [&](hipError_t error) {
      if (error)
        std::snprintf(result.error, sizeof(result.error), "%s\n%s", hipGetErrorName(error), hipsimLastReport());
      return error != hipSuccess;
    };
    hipDeviceReset(); // A fault of the kernel before stays with the device.
    hipModule_t module = nullptr;
    hipFunction_t function = nullptr;
    std::string name = "k" + std::to_string(seeds[i]);
    if (failed(hipModuleLoad(&module, codeObject.c_str())) || failed(hipModuleGetFunction(&function, module, name.c_str())))
      continue;
    std::vector<uint8_t> in = inputOf(seeds[i]);
    void *inPointer = deviceCopy(in.data(), in.size()), *own = deviceCopy(result.own, host[i].items * OWN_BYTES),
         *acc = deviceCopy(result.acc, ACC_BYTES),
         *approx = deviceCopy(result.approx, host[i].items * APPROX_VALUES * sizeof(float));
    void *parameters[] = {&inPointer, &own, &acc, &approx};
    if (failed(hipModuleLaunchKernel(function, host[i].items / blocks[i], 1, 1, blocks[i], 1, 1, 0, nullptr, parameters, nullptr)) ||
        failed(hipDeviceSynchronize()) ||
        failed(hipMemcpy(result.own, own, host[i].items * OWN_BYTES, hipMemcpyDeviceToHost)) ||
        failed(hipMemcpy(result.acc, acc, ACC_BYTES, hipMemcpyDeviceToHost)) ||
        failed(hipMemcpy(result.approx, approx, host[i].items * APPROX_VALUES * sizeof(float), hipMemcpyDeviceToHost)))
      continue;
    result.finished = 1;
    for (void *pointer : {inPointer, own, acc, approx})
      (void)hipFree(pointer);
    (void)hipModuleUnload(module);
  }
}

/// Distance in units of the last place; 0 for two NaNs.
uint32_t ulps(float a, float b) {
  if (a != a || b != b)
    return a != a && b != b ? 0 : ~0u;
  auto ordered = [](float x) {
    int32_t bits;
    std::memcpy(&bits, &x, 4);
    return bits < 0 ? int64_t(INT32_MIN) - bits : int64_t(bits);
  };
  int64_t distance = ordered(a) - ordered(b);
  return uint32_t(std::min<int64_t>(distance < 0 ? -distance : distance, ~0u));
}

std::string ownPlace(uint32_t byte) {
  if (byte < OWN_STORES)
    return "stored byte " + std::to_string(byte);
  if (byte < OWN_VALUES)
    return "variable v" + std::to_string((byte - OWN_STORES) / VALUE_BYTES) + " byte " + std::to_string(byte % VALUE_BYTES);
  return "checksum after part " + std::to_string((byte - OWN_VALUES) / 4);
}

/// Empty when the results agree; otherwise the first place, checksums first:
/// they tell the part of the kernel.
std::string compare(const Results &host, const Results &device) {
  if (!device.finished)
    return device.error[0] ? device.error : "it did not run";
  char line[256];
  for (bool checksums : {true, false})
    for (uint32_t item = 0; item < host.items; ++item)
      for (uint32_t b = checksums ? OWN_VALUES : 0; b < (checksums ? OWN_BYTES : OWN_VALUES); b += 4) {
        uint32_t want, got, at = item * OWN_BYTES + b;
        std::memcpy(&want, host.own + at, 4);
        std::memcpy(&got, device.own + at, 4);
        if (want == got)
          continue;
        std::snprintf(line, sizeof(line), "item %u, %s: expected %08x, found %08x", item, ownPlace(b).c_str(), want, got);
        return line;
      }
  for (uint32_t b = 0; b < ACC_BYTES; ++b)
    if (host.acc[b] != device.acc[b])
      return "atomics, byte " + std::to_string(b) + ": expected " + std::to_string(host.acc[b]) + ", found " +
             std::to_string(device.acc[b]);
  for (uint32_t i = 0; i < host.items * APPROX_VALUES; ++i)
    if (ulps(host.approx[i], device.approx[i]) > 2) {
      std::snprintf(line, sizeof(line), "item %u, approximate value %u: expected %a, found %a", i / APPROX_VALUES,
                    i % APPROX_VALUES, double(host.approx[i]), double(device.approx[i]));
      return line;
    }
  return {};
}

/// Half of the files at -O2, which finds most instructions.
int levelOf(const Options &options, uint64_t seed) {
  static const int levels[] = {2, 2, 3, 0, 1, 2};
  if (options.level >= 0)
    return options.level;
  return levels[Random(seed * 3 + 1).below(uint32_t(std::size(levels)))];
}

} // namespace

void runBatch(const Options &options, const std::vector<uint64_t> &seeds, std::vector<Failure> &failures) {
  std::string base = options.directory + "/" + std::to_string(seeds[0]) + "-" + std::to_string(seeds.size());
  std::string source = base + ".c";
  if (options.source.empty())
    std::ofstream(source) << batchSource(seeds, HIPSIM_PRELUDE);
  else
    source = options.source;
  if (options.keep && seeds.size() == 1) { // For hipsim-run, to trace it.
    std::vector<uint8_t> in = inputOf(seeds[0]);
    std::ofstream(base + ".in", std::ios::binary).write(reinterpret_cast<const char *>(in.data()), std::streamsize(in.size()));
  }
  int level = levelOf(options, seeds[0]);
  std::vector<std::string> made;
  if (options.source.empty())
    made.push_back(source);
  size_t before = failures.size();
  auto all = [&](const std::string &arch, const std::string &text) {
    for (uint64_t seed : seeds)
      failures.push_back({seed, arch, text, level});
  };

  Target host{"host"};
  std::string library = base + ".so", output;
  made.push_back(library);
  // Not optimised: a third of the time, and closest to what the text says.
  if (!runCommand(compileCommand(host, 0, source, library), output))
    return all("host", "clang failed\n" + output);
  SharedResults expected(seeds.size());
  std::string ended = inChild([&] { runOnHost(library, seeds, expected); });
  for (size_t i = 0; i < seeds.size(); ++i)
    if (!expected[i].finished)
      failures.push_back({seeds[i], "host", ended + expected[i].error, level});
  if (failures.size() != before)
    return;

  std::vector<uint32_t> blocks;
  if (void *handle = dlopen(library.c_str(), RTLD_NOW)) {
    for (uint64_t seed : seeds)
      blocks.push_back(*static_cast<const uint32_t *>(dlsym(handle, ("k" + std::to_string(seed) + "_block").c_str())));
    dlclose(handle);
  }
  for (const char *arch : archs) {
    if (!options.arch.empty() && options.arch != arch)
      continue;
    std::string object = base + "." + arch + ".hsaco";
    made.push_back(object);
    output.clear();
    if (!runCommand(compileCommand(Target{arch}, level, source, object), output)) {
      all(arch, "clang failed\n" + output);
      continue;
    }
    SharedResults found(seeds.size());
    ended = inChild([&] { runOnDevice(arch, object, seeds, expected, blocks, found); });
    for (size_t i = 0; i < seeds.size(); ++i)
      if (std::string text = compare(expected[i], found[i]); !text.empty())
        failures.push_back({seeds[i], arch, ended.empty() ? text : "the simulator " + ended + ": " + text, level});
  }
  if (!options.keep && failures.size() == before)
    for (const std::string &file : made)
      unlink(file.c_str());
}

} // namespace differential
