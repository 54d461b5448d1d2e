// simulator_speed: what one thread of the simulator does in a second, and the
// ratio to a plain loop on the same processor. Prints one JSON object.
//
// Not a test: it never fails for being slow. The ratios are what to compare
// between machines; the absolute goals are those of the project.
#include "runtime/hipsim/hip/hip_api.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr int repeats = 7;
constexpr double goalGigaflops = 3, goalMillionInstructions = 50;
/// Fractions of the unchecked speed that runs with checks are to keep.
constexpr double goalChecked = 0.25;

double secondsOf(const std::function<void()> &body) {
  auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Median, fastest and slowest rate of `amount` a run, after one to warm up.
struct Rate {
  double median, low, high;
};
Rate measure(double amount, const std::function<void()> &body) {
  body();
  std::vector<double> rates;
  for (int i = 0; i < repeats; ++i)
    rates.push_back(amount / secondsOf(body));
  std::sort(rates.begin(), rates.end());
  return {rates[repeats / 2], rates.front(), rates.back()};
}

[[noreturn]] void fail(const char *what, hipError_t error) {
  std::fprintf(stderr, "simulator_speed: %s: %s\n%s", what, hipGetErrorName(error), hipsimLastReport());
  std::exit(1);
}
#define HIP(CALL)                                                              \
  if (hipError_t hipError = (CALL))                                            \
  fail(#CALL, hipError)

hipsim_statistics statistics() {
  hipsim_statistics s = {};
  s.struct_size = sizeof(s);
  hipsimStatistics(&s);
  return s;
}

class Kernels {
public:
  Kernels() {
    HIP(hipModuleLoad(&module, SIMULATOR_SPEED_KERNELS));
    for (void **buffer : {&a, &b, &out}) {
      HIP(hipMalloc(buffer, 1 << 16));
      HIP(hipMemset(*buffer, 0, 1 << 16));
    }
  }
  void run(const char *name, std::vector<void *> parameters) {
    hipFunction_t function;
    HIP(hipModuleGetFunction(&function, module, name));
    HIP(hipModuleLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, nullptr, parameters.data(), nullptr));
    HIP(hipDeviceSynchronize());
  }
  void matrix(uint32_t turns) { run("matrix_loop", {&a, &b, &out, &turns}); }
  void vector(uint32_t turns) { run("vector_loop", {&a, &out, &turns}); }

private:
  hipModule_t module = nullptr;
  void *a = nullptr, *b = nullptr, *out = nullptr;
};

/// D += A B of 32 x 32 x 8 in float, as anyone would write it.
void hostMatrix(uint32_t turns) {
  static float a[32][8], b[8][32], d[32][32];
  for (uint32_t t = 0; t < turns; ++t) {
    for (int i = 0; i < 32; ++i)
      for (int k = 0; k < 8; ++k)
        for (int j = 0; j < 32; ++j)
          d[i][j] += a[i][k] * b[k][j];
    asm volatile("" ::: "memory");
  }
}

/// One multiply-add a lane of 64 is one wave instruction.
void hostVector(uint32_t turns) {
  static float x[4][64], scale[64];
  for (uint32_t t = 0; t < turns; ++t) {
    for (auto &row : x)
      for (int l = 0; l < 64; ++l)
        row[l] = row[l] * scale[l] + 0.25f;
    asm volatile("" ::: "memory");
  }
}

nlohmann::ordered_json result(const char *unit, Rate simulated, Rate host, double scale, double goal) {
  return {{"unit", unit},
          {"median", simulated.median / scale},
          {"low", simulated.low / scale},
          {"high", simulated.high / scale},
          {"goal", goal},
          {"host", host.median / scale},
          {"ratio_to_host", simulated.median / host.median}};
}

} // namespace

int main() {
  setenv("HIPSIM_THREADS", "1", 1);
  Kernels kernels;
  constexpr uint32_t matrixTurns = 3000, vectorTurns = 20000, hostTurns = 200000;
  constexpr double matrixOperations = 2.0 * 32 * 32 * 8;

  hipsim_statistics before = statistics();
  kernels.matrix(matrixTurns);
  double matrixCount = double(statistics().matrix - before.matrix);
  Rate matrix = measure(matrixCount * matrixOperations, [&] { kernels.matrix(matrixTurns); });

  before = statistics();
  kernels.vector(vectorTurns);
  double vectorCount = double(statistics().vector - before.vector);
  Rate vector = measure(vectorCount, [&] { kernels.vector(vectorTurns); });

  Rate matrixHost = measure(hostTurns / 10 * matrixOperations, [] { hostMatrix(hostTurns / 10); });
  Rate vectorHost = measure(hostTurns * 4.0, [] { hostVector(hostTurns); });

  const char *checks = std::getenv("HIPSIM_CHECKS"), *commit = std::getenv("SIMULATOR_SPEED_COMMIT");
  nlohmann::ordered_json object = {
      {"program", "simulator_speed"},
      {"commit", commit ? commit : "unknown"},
      {"compiler", __VERSION__},
      {"threads", 1},
      {"repeats", repeats},
      {"checks", checks ? checks : ""},
      {"goal_share_with_checks", goalChecked},
      {"matrix", result("GFLOP/s", matrix, matrixHost, 1e9, goalGigaflops)},
      {"vector", result("million wave instructions/s", vector, vectorHost, 1e6, goalMillionInstructions)}};
  std::printf("%s\n", object.dump(2).c_str());
}
