// Picks the operation table for this processor; HIPSIM_SIMD overrides it.
#include "runtime/hipsim/exec/operation.h"

#include <cstdlib>
#include <cstring>

// One line a level, best first; HIPSIM_HAS_* are the levels that the build
// compiled ops/ for.
#ifdef HIPSIM_HAS_avx512
#define HIPSIM_AVX512(X)                                                       \
  X(avx512,                                                                    \
    __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && \
        __builtin_cpu_supports("avx512dq") &&                                  \
        __builtin_cpu_supports("avx512vl"))
#else
#define HIPSIM_AVX512(X)
#endif
#ifdef HIPSIM_HAS_avx2
#define HIPSIM_AVX2(X)                                                         \
  X(avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&   \
              __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2"))
#else
#define HIPSIM_AVX2(X)
#endif
#define HIPSIM_LEVELS(X) HIPSIM_AVX512(X) HIPSIM_AVX2(X) X(baseline, true)

namespace hipsim {

#define HIPSIM_DECLARE(NAME, SUPPORTED)                                        \
  namespace NAME {                                                             \
  const OperationTable &table();                                               \
  }
HIPSIM_LEVELS(HIPSIM_DECLARE)

namespace {

struct Choice {
  const char *name;
  const OperationTable *table;
};

Choice choose() {
  const char *wanted = std::getenv("HIPSIM_SIMD");
#define HIPSIM_TRY(NAME, SUPPORTED)                                            \
  if ((SUPPORTED) && (!wanted || std::strcmp(wanted, #NAME) == 0))             \
    return {#NAME, &NAME::table()};
  HIPSIM_LEVELS(HIPSIM_TRY)
  return {"baseline", &baseline::table()};
}

const Choice &choice() {
  static const Choice result = choose();
  return result;
}

} // namespace

const OperationTable &operationTable() { return *choice().table; }
const char *simdLevel() { return choice().name; }

} // namespace hipsim
