// Rows of rates.def as structures, and the passes of matrix instructions.
#include "runtime/hipsim/timing/rates.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace hipsim::timing {

namespace {

enum class Kind { Datasheet, Measured, Toolchain, Assumed };
constexpr const char *kindNames[] = {"datasheet", "measured", "toolchain",
                                     "assumed"};

constexpr Rates tables[2] = {
    {
#define HIPSIM_RATE(name, unit, gfx942, gfx950, kind, source) gfx942,
#include "runtime/hipsim/timing/rates.def"
#undef HIPSIM_RATE
    },
    {
#define HIPSIM_RATE(name, unit, gfx942, gfx950, kind, source) gfx950,
#include "runtime/hipsim/timing/rates.def"
#undef HIPSIM_RATE
    }};

/// Passes by shape. The dense forms were checked against the datasheet peaks:
/// 16x16x16 bf16 in 4 passes is 2*16*16*16 FLOP / 16 clk * 4 SIMDs * 304 CUs *
/// 2.1 GHz = 1307 TFLOP/s. The rest is llvm-mca 22's reciprocal throughput.
struct Passes {
  const char *shape; ///< What stands between '_' and '_' or the end.
  uint8_t gfx942, gfx950;
};
constexpr Passes passTable[] = {
    {"4x4x4_4b_f64", 4, 8}, // gfx950: half rate like 16x16x4_f64 (assumed)
    {"4x4x1_16b", 2, 2},
    {"4x4x4_16b", 2, 2},
    {"16x16x1_4b", 8, 8},
    {"16x16x4_4b", 8, 8},
    {"32x32x1_2b", 16, 16},
    {"32x32x4_2b", 16, 16},
    {"16x16x4_f64", 8, 16},
    {"16x16x4_f32", 8, 8},
    {"32x32x2_f32", 16, 16},
    {"16x16x8_xf32", 4, 4},
    {"32x32x4_xf32", 8, 8},
    {"16x16x16", 4, 4},
    {"32x32x8", 8, 8},
    {"16x16x32", 4, 4},
    {"32x32x16", 8, 8},
    {"16x16x64", 4, 4},
    {"32x32x32", 8, 8},
    {"16x16x128", 4, 4}, // 8-bit formats of f8f6f4: doubled below
    {"32x32x64", 8, 8},
};

bool isMatrix(const char *name) {
  return std::strncmp(name, "v_mfma", 6) == 0 ||
         std::strncmp(name, "v_smfmac", 8) == 0;
}

bool hasShape(const char *name, const char *shape) {
  std::string key = std::string("_") + shape;
  const char *at = std::strstr(name, key.c_str());
  return at && (at[key.size()] == '_' || at[key.size()] == 0);
}

} // namespace

const Rates &ratesOf(Arch arch) { return tables[arch == Arch::Gfx950]; }
const char *deviceName(Arch arch) {
  return arch == Arch::Gfx950 ? "MI355X" : "MI300X";
}

std::vector<RateRow> rateRows(Arch arch) {
  const Rates &r = ratesOf(arch);
  return {
#define HIPSIM_RATE(name, unit, gfx942, gfx950, kind, source)                  \
  {#name, unit, kindNames[int(Kind::kind)], source, r.name},
#include "runtime/hipsim/timing/rates.def"
#undef HIPSIM_RATE
  };
}

uint32_t matrixPasses(const Instruction &in, Arch arch) {
  const char *name = mnemonic(in.op);
  if (!isMatrix(name))
    return 0;
  for (const Passes &p : passTable) {
    if (!hasShape(name, p.shape))
      continue;
    uint32_t passes = arch == Arch::Gfx950 ? p.gfx950 : p.gfx942;
    // cbsz and blgp are the formats of A and B: 0 and 1 have 8 bits. The public
    // fp8 peak (5033 TFLOP/s) needs twice the passes of fp4 (10066).
    bool mixed = std::strstr(name, "f8f6f4") != nullptr;
    return mixed && (in.cbsz < 2 || in.blgp < 2) ? passes * 2 : passes;
  }
  return 16; // A shape without a row: as slow as the slowest.
}

uint64_t matrixFlops(Op op) {
  const char *name = mnemonic(op), *x = isMatrix(name) ? std::strchr(name, 'x') : nullptr;
  // The first 'x' between digits is that of the shape MxNxK[_Bb].
  while (x && !(x > name && x[-1] >= '0' && x[-1] <= '9' && x[1] >= '0' && x[1] <= '9'))
    x = std::strchr(x + 1, 'x');
  if (!x)
    return 0;
  const char *start = x;
  while (start[-1] >= '0' && start[-1] <= '9')
    --start;
  char *end = nullptr;
  uint64_t flops = 2 * std::strtoull(start, &end, 10);
  flops *= std::strtoull(end + 1, &end, 10);
  flops *= std::strtoull(end + 1, &end, 10);
  if (*end == '_') { // Blocks: "_4b".
    char *after = nullptr;
    uint64_t blocks = std::strtoull(end + 1, &after, 10);
    if (after != end + 1 && *after == 'b' && (after[1] == '_' || after[1] == 0))
      flops *= blocks;
  }
  return flops;
}

} // namespace hipsim::timing
