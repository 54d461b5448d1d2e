// Faults and the services that handlers call out to.
#include "runtime/hipsim/exec/dispatch.h"

#include <cstdio>

using namespace hipsim;

namespace {

std::string where(const Wave &w, const Step &s, int lane) {
  const Dispatch &d = *w.group->dispatch;
  const CodeObject &code = d.program->object();
  char line[512];
  std::string text = "  kernel      " + d.kernel->name + "\n";
  std::snprintf(line, sizeof(line), "  instruction %s\n",
                s.instruction->op == Op::Invalid
                    ? "(not decodable)"
                    : print(*s.instruction, code.arch).c_str());
  text += line;
  std::snprintf(line, sizeof(line),
                "  at          .text+0x%x (%s+0x%x)\n"
                "  workgroup   (%u, %u, %u) of (%u, %u, %u)\n"
                "  wave        %u",
                s.instruction->pc, d.kernel->name.c_str(),
                s.instruction->pc - d.kernel->entry, w.group->id[0],
                w.group->id[1], w.group->id[2], d.grid[0], d.grid[1],
                d.grid[2], w.index);
  text += line;
  if (lane >= 0) {
    std::snprintf(line, sizeof(line), ", lane %d", lane);
    text += line;
  }
  std::snprintf(line, sizeof(line), "\n  seed        %llu (HIPSIM_SEED)\n",
                (unsigned long long)d.seed);
  return text + line;
}

void record(Wave &w, FaultKind kind, std::string text) {
  w.status = WaveStatus::Faulted;
  // A dispatch is shared by the threads that run it; this is its error slot.
  Dispatch &d = const_cast<Dispatch &>(*w.group->dispatch);
  std::lock_guard lock(d.mutex);
  if (d.failed)
    return;
  d.failed = true;
  d.error = {kind, std::move(text)};
  d.stop.store(true, std::memory_order_relaxed);
}

/// Whether the device of the launch has the range mapped: its own memory, the
/// host's, and that of peers that it may access.
bool isReachable(const Dispatch &d, const Allocation &a) {
  return a.kind == MemoryKind::Host || (d.reachable >> (a.device & 63) & 1);
}

/// The live range, or the launch's own memory, that contains `address`.
const Allocation *findRange(const Workgroup &group, uint64_t address) {
  for (const Allocation &own : group.dispatch->own)
    if (address >= own.begin && address < own.end)
      return &own;
  const Allocation *found = group.dispatch->memory->find(address);
  return found && isReachable(*group.dispatch, *found) ? found : nullptr;
}

} // namespace

void hipsim::raiseFault(Wave &w, const Step &s, FaultKind kind, int lane,
                        const char *message) {
  std::string text = "hipsim: ";
  text += message ? message : w.group->dispatch->program->refusal(s).c_str();
  record(w, kind, text + "\n" + where(w, s, lane));
}

void hipsim::raiseAccessFault(Wave &w, const Step &s, int lane,
                              uint64_t address, uint64_t bytes, bool write) {
  char line[160];
  std::snprintf(line, sizeof(line),
                "hipsim: illegal %s of %llu bytes at 0x%llx\n",
                write ? "write" : "read", (unsigned long long)bytes,
                (unsigned long long)address);
  std::string text = line + where(w, s, lane) + "  address     ";
  if (address >> 48 == 2) {
    std::snprintf(line, sizeof(line),
                  "private memory offset 0x%x; a lane has %u bytes",
                  uint32_t(address), w.scratchBytes);
    text += line;
  } else if (address >> 48 == 1) {
    std::snprintf(line, sizeof(line), "LDS offset 0x%x; the group has %u bytes",
                  uint32_t(address), w.group->ldsBytes);
    text += line;
  } else if (const Allocation *a = w.group->dispatch->memory->find(address);
             a && !isReachable(*w.group->dispatch, *a)) {
    std::snprintf(line, sizeof(line),
                  "memory of device %u, which device %u has not enabled peer "
                  "access to, ",
                  a->device, w.group->dispatch->device);
    text += line + w.group->dispatch->memory->describe(address, bytes);
  } else if (a && a->writable && bytes <= a->end - address) {
    text += "not aligned as an atomic needs it, " +
            w.group->dispatch->memory->describe(address, bytes);
  } else {
    text += w.group->dispatch->memory->describe(address, bytes);
  }
  record(w, FaultKind::IllegalAddress, text + "\n");
}

bool hipsim::findAccess(Workgroup &group, uint64_t address, uint64_t bytes,
                        bool write) {
  AccessCache &cache = group.access;
  for (uint32_t i = 0; i < AccessCache::entries; ++i)
    if (address >= cache.begin[i] && address < cache.end[i] &&
        bytes <= cache.end[i] - address && (cache.writable[i] || !write))
      return true;
  const Allocation *found = findRange(group, address);
  if (!found || bytes > found->end - address || (write && !found->writable))
    return false;
  uint32_t slot = cache.next++ % AccessCache::entries;
  cache.begin[slot] = found->begin;
  cache.end[slot] = found->end;
  cache.writable[slot] = found->writable;
  return true;
}

bool hipsim::findScalarAccess(Workgroup &group, uint64_t address,
                              uint64_t bytes) {
  if (findAccess(group, address, bytes, false))
    return true;
  const Allocation *found = findRange(group, address);
  return found && address + bytes <= ((found->end + 15) & ~15ull);
}

bool hipsim::stepAtAddress(const Wave &w, uint64_t address, uint32_t &step) {
  const Program &program = *w.group->dispatch->program;
  step = program.stepAt(address - program.textAddress());
  return step != Program::noStep;
}

uint64_t hipsim::addressAfter(const Wave &w, const Step &s) {
  return w.group->dispatch->program->textAddress() + s.instruction->pc +
         s.instruction->size;
}
