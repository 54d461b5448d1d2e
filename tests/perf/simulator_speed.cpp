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

struct Rate {
  double median, low, high;
};
Rate rateOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

/// How often `amount` is done in a second by the simulator and by the host, and
/// the ratio. The two take turns, so that other work on the machine meets both.
struct Comparison {
  Rate simulated, host, ratio;
};
Comparison measure(double amount, const std::function<void()> &simulated,
                   double hostAmount, const std::function<void()> &host) {
  simulated(); // Warms up.
  host();
  std::vector<double> simulatedRates, hostRates, ratios;
  for (int i = 0; i < repeats; ++i) {
    simulatedRates.push_back(amount / secondsOf(simulated));
    hostRates.push_back(hostAmount / secondsOf(host));
    ratios.push_back(simulatedRates.back() / hostRates.back());
  }
  return {rateOf(simulatedRates), rateOf(hostRates), rateOf(ratios)};
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

nlohmann::ordered_json result(const char *unit, const Comparison &c, double scale, double goal) {
  return {{"unit", unit},
          {"median", c.simulated.median / scale},
          {"low", c.simulated.low / scale},
          {"high", c.simulated.high / scale},
          {"goal", goal},
          {"host", c.host.median / scale},
          {"ratio_to_host", c.ratio.median},
          {"ratio_low", c.ratio.low},
          {"ratio_high", c.ratio.high}};
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
  Comparison matrix = measure(matrixCount * matrixOperations, [&] { kernels.matrix(matrixTurns); },
                              hostTurns / 10 * matrixOperations, [] { hostMatrix(hostTurns / 10); });

  before = statistics();
  kernels.vector(vectorTurns);
  double vectorCount = double(statistics().vector - before.vector);
  Comparison vector = measure(vectorCount, [&] { kernels.vector(vectorTurns); },
                              hostTurns * 4.0, [] { hostVector(hostTurns); });

  const char *checks = std::getenv("HIPSIM_CHECKS"), *commit = std::getenv("SIMULATOR_SPEED_COMMIT");
  nlohmann::ordered_json object = {
      {"program", "simulator_speed"},
      {"commit", commit ? commit : "unknown"},
      {"compiler", __VERSION__},
      {"threads", 1},
      {"repeats", repeats},
      {"checks", checks ? checks : ""},
      {"goal_share_with_checks", goalChecked},
      {"matrix", result("GFLOP/s", matrix, 1e9, goalGigaflops)},
      {"vector", result("million wave instructions/s", vector, 1e6, goalMillionInstructions)}};
  std::printf("%s\n", object.dump(2).c_str());
}
