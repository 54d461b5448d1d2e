// The checked loop and its reports.
#include "runtime/hipsim/checks/group_checker.h"

#include "runtime/hipsim/checks/check_set.h"
#include "runtime/hipsim/exec/dispatch.h"

#include <cstdio>
#include <cstring>

using namespace hipsim;

namespace {

/// A finding ends the launch with hipErrorLaunchFailure, as a trap does.
constexpr FaultKind finding = FaultKind::Trap;
constexpr uint32_t sharedApertureHigh = 0x00010000; // See ops/lanes.h.

/// Tables of bytes, kept by the thread for the next workgroup.
thread_local std::unique_ptr<LdsRaces> spareRaces;
thread_local std::vector<WaitCounters> spareWaits;

uint64_t execOf(const Wave &w) {
  uint64_t exec;
  std::memcpy(&exec, w.sgpr + sgprExec, 8);
  return exec;
}

const char *verb(LdsAccess access) {
  return access == LdsAccess::Read    ? "read"
         : access == LdsAccess::Write ? "written"
                                      : "changed by an atomic";
}

} // namespace

GroupChecker::GroupChecker(Workgroup &group, uint32_t waveCount)
    : group(group), checks(group.dispatch->checks),
      steps(group.dispatch->program->steps().data()),
      effects(group.dispatch->program->effects()), writingBack(waveCount),
      weak(group.dispatch->weak.get()) {
  waits.swap(spareWaits);
  if (waits.size() < waveCount)
    waits.resize(waveCount);
  for (WaitCounters &w : waits)
    w.clear();
  if ((checks & CheckRaces) && waveCount > 1 && group.ldsBytes) {
    races = spareRaces ? std::move(spareRaces) : std::make_unique<LdsRaces>();
    races->start(group.ldsBytes);
  }
  needsFootprints = races || (group.ldsBytes && group.dispatch->program->loadsToLds());
}

GroupChecker::~GroupChecker() {
  if (races)
    spareRaces = std::move(races);
  spareWaits.swap(waits);
}

uint32_t GroupChecker::run(Wave &w, uint32_t quantum) {
  WaitCounters &counters = waits[w.index];
  uint32_t left = quantum;
  do {
    const Step &s = steps[w.step];
    const Effects &e = effects[w.step];
    if (counters.hasRegisters() || e.kind != EventKind::Plain)
      if (!beforeStep(w, s, e))
        return quantum - left;
    ++w.step;
    ++w.executed[uint32_t(s.stepClass)];
    if (weak)
      execute(w, s, e);
    else
      s.handler(w, s);
    --left;
  } while (left && w.status == WaveStatus::Running);
  return quantum - left;
}

void GroupChecker::execute(Wave &w, const Step &s, const Effects &e) {
  writingBack[w.index] |= e.writesBack;
  if (e.invalidates)
    weak->invalidate(group);
  if (e.global != GlobalAccess::None)
    weak->execute(w, s, e);
  else
    s.handler(w, s);
}

void GroupChecker::wait(Wave &w, const Effects &e) {
  waits[w.index].wait(e.vmCount, e.lgkmCount);
  if (writingBack[w.index] && !waits[w.index].isPending(Op::BUFFER_WBL2)) {
    weak->writeBack(group);
    writingBack[w.index] = false;
  }
}

bool GroupChecker::beforeStep(Wave &w, const Step &s, const Effects &e) {
  WaitCounters &counters = waits[w.index];
  if (counters.hasRegisters() && !checkRegisters(w, s, e))
    return false;
  switch (e.kind) {
  case EventKind::Plain:
  case EventKind::Barrier:
    return true;
  case EventKind::Wait:
    wait(w, e);
    return true;
  case EventKind::End:
    counters.clear();
    return true;
  default: break;
  }
  if (e.lds == LdsAccess::None || !needsFootprints) {
    counters.issue(s, e, execOf(w));
    return true;
  }
  LdsFootprint footprint;
  findFootprint(w, s, e, footprint);
  if (footprint.lanes[0] | footprint.lanes[1])
    if (!checkLds(w, s, e, footprint))
      return false;
  PendingEvent &event = counters.issue(s, e, execOf(w));
  event.lds = e.lds;
  event.footprint = footprint;
  return true;
}

bool GroupChecker::checkRegisters(Wave &w, const Step &s, const Effects &e) {
  const WaitCounters &counters = waits[w.index];
  WaitCounters::Conflict c = counters.findConflict(e, execOf(w));
  if (!c.event || !(checks & CheckWaits))
    return true;
  std::string text = registerName(c.first, c.count) + " is " +
                     (c.written ? "overwritten" : "read") +
                     " before the operation that loads it has been waited for\n"
                     "  loaded by   " + describe(*c.event->step) +
                     "\n  missing     " + counters.missingWait(*c.event) +
                     " before the instruction below";
  int lane = c.first >= scalarRegister ? -1 : __builtin_ctzll(c.lanes);
  raiseFault(w, s, finding, lane, text.c_str());
  return false;
}

bool GroupChecker::checkLds(Wave &w, const Step &s, const Effects &e,
                            const LdsFootprint &footprint) {
  const WaitCounters &counters = waits[w.index];
  int lane = -1;
  bool mayOverlap = counters.hasLdsLoads() || e.kind == EventKind::LdsLoad;
  const PendingEvent *early =
      mayOverlap ? counters.findLdsConflict(e.kind, footprint, lane) : nullptr;
  if (early && (checks & CheckWaits)) {
    std::string text =
        std::string("LDS is ") + verb(e.lds) + " before the operation that " +
        (early->lds == LdsAccess::Read ? "reads" : "writes") +
        " the same bytes has been waited for\n  other       " +
        describe(*early->step) + "\n  missing     " +
        counters.missingWait(*early) + " before the instruction below";
    raiseFault(w, s, finding, lane, text.c_str());
    return false;
  }
  if (!races)
    return true;
  LdsRaces::Race race = races->access(w.index, s, e.lds, footprint);
  if (!race.found)
    return true;
  std::string text = "race on LDS byte " + std::to_string(race.byte) + ": " +
                     verb(e.lds) + " here, " + verb(race.other) +
                     (race.otherWave < 0
                          ? std::string(" by several waves")
                          : " by wave " + std::to_string(race.otherWave)) +
                     ", and no barrier (after that wave's s_waitcnt) between\n"
                     "  other       " + describe(*race.otherStep);
  raiseFault(w, s, finding, int(race.lane), text.c_str());
  return false;
}

void GroupChecker::findFootprint(const Wave &w, const Step &s, const Effects &e,
                                 LdsFootprint &out) const {
  const Instruction &in = *s.instruction;
  uint64_t exec = execOf(w);
  out.bytes = e.ldsBytes;
  out.pieces = e.pieces;
  const uint32_t *low = w.rows[in.vaddr.kind == OperandKind::Agpr
                                   ? agprRow + in.vaddr.index
                                   : in.vaddr.index].lane;
  const uint32_t *high = low + laneCount;
  uint32_t m0 = (w.sgpr[sgprM0] & 0xffff) + uint32_t(in.offset);
  for (uint32_t piece = 0; piece < e.pieces; ++piece) {
    uint64_t lanes = 0;
    for (uint32_t l = 0; l < laneCount; ++l) {
      uint64_t at;
      bool inside = true;
      if (e.kind == EventKind::LdsLoad) {
        at = m0 + l * e.ldsBytes;
      } else if (e.kind == EventKind::Flat) {
        uint64_t address = (low[l] | uint64_t(high[l]) << 32) + uint64_t(int64_t(in.offset));
        at = uint32_t(address);
        inside = address >> 32 == sharedApertureHigh;
      } else {
        at = uint64_t(low[l]) + e.ldsOffset[piece];
      }
      out.offset[piece][l] = uint32_t(at);
      lanes |= uint64_t(inside & (at + e.ldsBytes <= group.ldsBytes)) << l;
    }
    out.lanes[piece] = lanes & exec;
  }
}

void GroupChecker::barrierReleased() {
  if (!races)
    return;
  races->nextPhase();
  // A barrier does not order what its owner has not waited for.
  for (uint32_t i = 0; i < waits.size(); ++i)
    waits[i].forEachLds([&](const PendingEvent &event) {
      (void)races->access(i, *event.step, event.lds, event.footprint);
    });
}

std::string GroupChecker::describe(const Step &s) const {
  const Dispatch &d = *group.dispatch;
  char place[64];
  std::snprintf(place, sizeof(place), " at .text+0x%x (", s.instruction->pc);
  std::string text = print(*s.instruction, d.program->object().arch) + place;
  std::snprintf(place, sizeof(place), "+0x%x)", s.instruction->pc - d.kernel->entry);
  return text + d.kernel->name + place;
}
