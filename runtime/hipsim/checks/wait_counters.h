// The memory operations of a wave that no s_waitcnt has covered yet.
//
// The simulator executes memory at once; this list knows what hardware would
// still be doing. Order within a counter: vector memory and DS operations end
// in the order of issue, scalar loads and FLAT in any order.
#pragma once

#include "runtime/hipsim/checks/effects.h"

namespace hipsim {

/// The LDS bytes of one instruction: up to two pieces a lane.
struct LdsFootprint {
  uint32_t bytes = 0, pieces = 0;
  uint64_t lanes[2] = {}; ///< Those that are inside LDS.
  uint32_t offset[2][laneCount];
};

struct PendingEvent {
  const Step *step = nullptr;
  uint64_t lanes = 0;
  uint16_t first = 0; ///< Destination registers.
  uint8_t count = 0;
  uint8_t waitsFor = 0; ///< Counters that do not cover it yet; 0: done.
  bool ordered = false;
  EventKind kind = EventKind::Plain;
  LdsAccess lds = LdsAccess::None;
  LdsFootprint footprint; ///< Filled when `lds` is set.
};

class WaitCounters {
public:
  static constexpr uint8_t vm = 1, lgkm = 2;

  /// Something is pending that has destination registers.
  bool hasRegisters() const { return registersPending; }
  bool hasLdsLoads() const { return ldsLoads != 0; }

  struct Conflict {
    const PendingEvent *event = nullptr;
    uint32_t first = 0, count = 0; ///< The registers that overlap.
    bool written = false;          ///< By the new instruction; else read.
    uint64_t lanes = 0;
  };
  /// A pending destination that an instruction must not touch yet.
  Conflict findConflict(const Effects &effects, uint64_t exec) const {
    // From the last: destinations come first, and reading is the better report.
    for (uint32_t i = effects.spanCount; i-- > 0;)
      if (isPending(effects.spans[i])) {
        Conflict found = explain(effects, effects.spans[i], exec);
        if (found.event)
          return found;
      }
    return {};
  }
  /// An operation on LDS that is pending and not ordered with a new access of
  /// the same wave: one of the two is a load to LDS. `lane`: of the access.
  const PendingEvent *findLdsConflict(EventKind kind,
                                      const LdsFootprint &footprint,
                                      int &lane) const;

  /// Adds an operation; the caller fills the footprint of the result.
  PendingEvent &issue(const Step &step, const Effects &effects, uint64_t exec);
  void wait(uint32_t vmCount, uint32_t lgkmCount);
  /// What an s_waitcnt before the conflicting instruction must say.
  std::string missingWait(const PendingEvent &event) const;

  bool isPending(Op op) const {
    for (uint32_t i = head; i != tail; ++i)
      if (at(i).waitsFor && at(i).step->instruction->op == op)
        return true;
    return false;
  }

  /// Calls f(event) for each pending operation on LDS.
  template <class F> void forEachLds(F f) const {
    for (uint32_t i = head; i != tail; ++i)
      if (at(i).waitsFor && at(i).lds != LdsAccess::None)
        f(at(i));
  }
  void clear() {
    head = tail = ldsLoads = 0;
    registersPending = false;
  }

private:
  static constexpr uint32_t capacity = 128; ///< Counters hold 63 and 15.
  static constexpr uint32_t words = registerCount / 64;

  const PendingEvent &at(uint32_t i) const { return events[i % capacity]; }
  PendingEvent &at(uint32_t i) { return events[i % capacity]; }
  bool isPending(const RegisterSpan &s) const {
    uint32_t word = s.first / 64, shift = s.first % 64;
    uint64_t bits = pending[word] >> shift;
    if (shift)
      bits |= pending[word + 1] << (64 - shift);
    return bits & (s.count >= 64 ? ~0ull : (1ull << s.count) - 1);
  }
  Conflict explain(const Effects &effects, const RegisterSpan &span,
                   uint64_t exec) const;
  void retire(uint8_t counter, uint32_t count);
  void settle();
  void mark(const PendingEvent &event);
  uint32_t outstanding(uint8_t counter) const;

  uint64_t pending[words + 1] = {};
  bool registersPending = false;
  uint32_t ldsLoads = 0;
  uint32_t head = 0, tail = 0;
  std::vector<PendingEvent> events = std::vector<PendingEvent>(capacity);
};

} // namespace hipsim
