// Issuing, waiting and finding what is too early; see wait_counters.h.
#include "runtime/hipsim/checks/wait_counters.h"

#include <algorithm>
#include <cstring>

using namespace hipsim;

namespace {

constexpr uint32_t vmLimit = 63, lgkmLimit = 15;

bool overlap(const LdsFootprint &a, const LdsFootprint &b, int &laneOfB) {
  for (uint32_t i = 0; i < b.pieces; ++i)
    for (uint64_t m = b.lanes[i]; m; m &= m - 1) {
      uint32_t l = uint32_t(__builtin_ctzll(m)), begin = b.offset[i][l];
      for (uint32_t j = 0; j < a.pieces; ++j)
        for (uint64_t n = a.lanes[j]; n; n &= n - 1) {
          uint32_t other = a.offset[j][__builtin_ctzll(n)];
          if (begin < other + a.bytes && other < begin + b.bytes) {
            laneOfB = int(l);
            return true;
          }
        }
    }
  return false;
}

/// Both write, and in the order of issue.
bool writesInOrder(const PendingEvent &event, const Effects &e,
                   const RegisterSpan &span) {
  bool same = event.kind == e.kind && span.written;
  return same && (e.kind == EventKind::VectorLoad || e.kind == EventKind::Ds);
}

} // namespace

WaitCounters::Conflict WaitCounters::explain(const Effects &effects,
                                             const RegisterSpan &span,
                                             uint64_t exec) const {
  bool scalar = span.first >= scalarRegister;
  uint64_t lanes = effects.allLanes || scalar ? ~0ull : exec;
  for (uint32_t i = head; i != tail; ++i) {
    const PendingEvent &event = at(i);
    uint32_t begin = std::max<uint32_t>(event.first, span.first);
    uint32_t end = std::min<uint32_t>(event.first + event.count, span.first + span.count);
    if (!event.waitsFor || begin >= end || !(event.lanes & lanes) ||
        writesInOrder(event, effects, span))
      continue;
    return {&event, begin, end - begin, span.written, event.lanes & lanes};
  }
  return {};
}

const PendingEvent *WaitCounters::findLdsConflict(EventKind kind,
                                                  const LdsFootprint &footprint,
                                                  int &lane) const {
  bool toLds = kind == EventKind::LdsLoad;
  for (uint32_t i = head; i != tail; ++i) {
    const PendingEvent &event = at(i);
    if (!event.waitsFor || event.lds == LdsAccess::None)
      continue;
    // Loads to LDS are ordered among themselves, and so are DS operations.
    if (toLds == (event.kind == EventKind::LdsLoad))
      continue;
    if (overlap(event.footprint, footprint, lane))
      return &event;
  }
  return nullptr;
}

void WaitCounters::mark(const PendingEvent &event) {
  for (uint32_t r = event.first; r < uint32_t(event.first) + event.count; ++r)
    pending[r / 64] |= 1ull << (r % 64);
  registersPending |= event.count != 0;
  ldsLoads += event.kind == EventKind::LdsLoad;
}

PendingEvent &WaitCounters::issue(const Step &step, const Effects &e,
                                  uint64_t exec) {
  if (tail - head == capacity) { // A scalar load that nobody waits for.
    at(head).waitsFor = 0;
    settle();
  }
  PendingEvent &event = at(tail++);
  event.step = &step;
  event.kind = e.kind;
  event.lds = LdsAccess::None;
  event.ordered = e.kind != EventKind::Flat && e.kind != EventKind::Scalar;
  event.first = event.count = 0;
  if (e.spanCount && e.spans[0].written) {
    event.first = e.spans[0].first;
    event.count = e.spans[0].count;
  }
  event.lanes = e.kind == EventKind::Scalar ? ~0ull : exec;
  switch (e.kind) {
  case EventKind::Ds: case EventKind::Scalar: event.waitsFor = lgkm; break;
  case EventKind::Flat: event.waitsFor = vm | lgkm; break;
  default: event.waitsFor = vm; break;
  }
  mark(event);
  // A full counter stalls the wave until the oldest operation has ended.
  if (tail - head > lgkmLimit) {
    if ((event.waitsFor & vm) && outstanding(vm) > vmLimit)
      retire(vm, vmLimit);
    if ((event.waitsFor & lgkm) && outstanding(lgkm) > lgkmLimit)
      retire(lgkm, lgkmLimit);
  }
  return event;
}

uint32_t WaitCounters::outstanding(uint8_t counter) const {
  uint32_t count = 0;
  for (uint32_t i = head; i != tail; ++i)
    count += (at(i).waitsFor & counter) != 0;
  return count;
}

void WaitCounters::wait(uint32_t vmCount, uint32_t lgkmCount) {
  if (head == tail)
    return;
  if (vmCount < vmLimit)
    retire(vm, vmCount);
  if (lgkmCount < lgkmLimit)
    retire(lgkm, lgkmCount);
}

/// At most `count` operations of the counter are still running: an ordered one
/// has ended if as many younger ordered ones could still run; an unordered one
/// only when none runs.
void WaitCounters::retire(uint8_t counter, uint32_t count) {
  uint32_t younger = 0;
  for (uint32_t i = tail; i != head; --i) {
    PendingEvent &event = at(i - 1);
    if (!(event.waitsFor & counter))
      continue;
    if (count == 0 || (event.ordered && younger >= count))
      event.waitsFor &= uint8_t(~counter);
    younger += event.ordered;
  }
  settle();
}

void WaitCounters::settle() {
  while (head != tail && !at(head).waitsFor)
    ++head;
  std::memset(pending, 0, sizeof(pending));
  registersPending = false;
  ldsLoads = 0;
  if (head == tail) {
    head = tail = 0; // Stay in the slots that are warm.
    return;
  }
  for (uint32_t i = head; i != tail; ++i)
    if (at(i).waitsFor)
      mark(at(i));
}

std::string WaitCounters::missingWait(const PendingEvent &event) const {
  std::string text = "s_waitcnt";
  for (uint8_t counter : {vm, lgkm}) {
    if (!(event.waitsFor & counter))
      continue;
    uint32_t younger = 0;
    bool after = false, unordered = false;
    for (uint32_t i = head; i != tail; ++i) {
      if (after && (at(i).waitsFor & counter))
        ++younger;
      after |= &at(i) == &event;
      unordered |= (at(i).waitsFor & counter) && !at(i).ordered;
    }
    // Among operations without order only a wait for all helps.
    text += counter == vm ? " vmcnt(" : " lgkmcnt(";
    text += std::to_string(unordered ? 0 : younger) + ")";
  }
  return text;
}
