// What an instruction touches, as far as the checks need to know: registers,
// wait counters, LDS. One entry a step, built once a program.
#pragma once

#include "runtime/hipsim/exec/wave.h"

#include <cstdint>
#include <vector>

namespace hipsim {

/// Registers as one row of numbers: v0..v255, a0..a255 (agprRow), and scalar
/// registers from `scalarRegister` on.
constexpr uint32_t scalarRegister = 512;
constexpr uint32_t registerCount = scalarRegister + 128;

struct RegisterSpan {
  uint16_t first = 0;
  uint8_t count = 0;
  bool written = false;
};

/// What a step is to the wait counters and to LDS.
enum class EventKind : uint8_t {
  Plain,     ///< Nothing but registers.
  VectorLoad, ///< vmcnt; atomics that return, too.
  VectorStore, ///< vmcnt, no destination.
  LdsLoad,   ///< vmcnt: a load to LDS.
  Flat,      ///< Both counters, out of order.
  Ds,        ///< lgkmcnt, in order.
  Scalar,    ///< lgkmcnt, out of order.
  Wait,
  Barrier,
  End,
};

enum class LdsAccess : uint8_t { None, Read, Write, Atomic };

enum class GlobalAccess : uint8_t { None, Load, Store, Atomic };

struct Effects {
  static constexpr uint32_t maxSpans = 9;
  RegisterSpan spans[maxSpans];
  uint8_t spanCount = 0;
  EventKind kind = EventKind::Plain;
  bool allLanes = false; ///< Reads or writes lanes that EXEC does not select.
  LdsAccess lds = LdsAccess::None; ///< Flat: what it does when it hits LDS.
  uint8_t ldsBytes = 0;            ///< Of one piece.
  uint8_t pieces = 1;              ///< read2, write2: 2.
  uint8_t vmCount = 63, lgkmCount = 15; ///< Wait.
  uint32_t ldsOffset[2] = {};
  GlobalAccess global = GlobalAccess::None; ///< FLAT: when it hits it.
  uint8_t globalBytes = 0;                  ///< Of a lane.
  bool writesBack = false, invalidates = false; ///< sc1 cache control.
};

class Program;
/// Effects of every step of a program.
std::vector<Effects> effectsOf(const std::vector<Step> &steps);

/// "v5", "a[4:7]", "s[0:1]", "vcc", "m0".
std::string registerName(uint32_t first, uint32_t count);

} // namespace hipsim
