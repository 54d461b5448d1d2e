// Running the waves of one workgroup.
#include "runtime/hipsim/exec/workgroup.h"

#include "runtime/hipsim/checks/group_checker.h"
#include "runtime/hipsim/exec/tracer.h"

#include <cstdio>
#include <cstring>
#include <sys/mman.h>

using namespace hipsim;

namespace {

struct Storage {
  void *memory = nullptr;
  size_t bytes = 0;
  ~Storage() {
    if (memory)
      munmap(memory, bytes);
  }
};
/// The last storage given back on this thread.
thread_local Storage spare;

/// Executes steps until the wave stops or `quantum` is used up; returns how
/// many were executed.
uint32_t runWave(Wave &w, uint32_t quantum) {
  if (Tracer *tracer = w.group->dispatch->tracer.get())
    if (tracer->watches(w))
      return runTraced(w, quantum, *tracer);
  const Step *steps = w.steps;
  uint32_t left = quantum;
  do {
    const Step &s = steps[w.step];
    ++w.step;
    ++w.executed[uint32_t(s.stepClass)];
    s.handler(w, s);
    --left;
  } while (left && w.status == WaveStatus::Running);
  return quantum - left;
}

bool isLive(const Wave &w) { return w.status != WaveStatus::Ended; }

/// A hash of everything that decides what the wave does next.
uint64_t stateHash(const Wave &w, uint32_t vgprs, uint32_t agprs) {
  uint64_t hash = w.step * 0x9e3779b97f4a7c15ull + w.scc;
  auto mix = [&](const void *data, size_t bytes) {
    const auto *p = static_cast<const uint8_t *>(data);
    for (size_t i = 0; i < bytes; i += 8) {
      uint64_t v;
      std::memcpy(&v, p + i, 8);
      hash = (hash ^ v) * 0xff51afd7ed558ccdull;
      hash ^= hash >> 32;
    }
  };
  mix(w.sgpr, sizeof(w.sgpr));
  mix(w.rows, vgprs * sizeof(Row));
  mix(w.rows + agprRow, agprs * sizeof(Row));
  return hash;
}

} // namespace

void *hipsim::takeStorage(size_t bytes) {
  if (spare.memory && spare.bytes == bytes) {
    void *memory = spare.memory;
    spare.memory = nullptr;
    spare.bytes = 0;
    return memory;
  }
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void hipsim::giveStorage(void *storage, size_t bytes) {
  if (!storage)
    return;
  if (spare.memory)
    munmap(spare.memory, spare.bytes);
  spare.memory = storage;
  spare.bytes = bytes;
}

uint32_t ResidentGroup::advance(Wave &w, uint32_t quantum) {
  return checker ? checker->run(w, quantum) : runWave(w, quantum);
}

void ResidentGroup::releaseBarrier() {
  if (checker)
    checker->barrierReleased();
  for (Wave &w : waves)
    if (w.status == WaveStatus::AtBarrier)
      w.status = WaveStatus::Running;
}

ResidentGroup::Outcome ResidentGroup::run(uint64_t budget) {
  const Dispatch &d = *group.dispatch;
  uint32_t count = uint32_t(waves.size());
  uint64_t used = 0;
  uint32_t asleep = 0; ///< Quanta in a row that ended in s_sleep.
  while (used < budget) {
    if (d.stop.load(std::memory_order_relaxed))
      return Outcome::Faulted;
    // The first runnable wave from a random start.
    uint32_t start = d.seed ? random.next(count) : 0, picked = count;
    bool live = false;
    for (uint32_t i = 0; i < count && picked == count; ++i) {
      uint32_t candidate = (start + i) % count;
      live |= isLive(waves[candidate]);
      if (waves[candidate].status == WaveStatus::Running)
        picked = candidate;
    }
    if (picked == count) {
      bool yielded = false;
      for (Wave &w : waves)
        if (w.status == WaveStatus::Yielded) {
          w.status = WaveStatus::Running;
          yielded = true;
        }
      if (yielded) {
        if (++asleep > 4) // Let other workgroups run.
          return Outcome::Preempted;
        continue;
      }
      if (!live)
        return Outcome::Finished;
      releaseBarrier();
      continue;
    }
    uint32_t quantum = d.seed ? 64 + random.next(1984) : 1u << 20;
    uint32_t executed = trace ? timing::runRecorded(*trace, waves[picked], quantum)
                              : advance(waves[picked], quantum);
    used += executed;
    group.clock += executed;
    if (waves[picked].status == WaveStatus::Faulted)
      return Outcome::Faulted;
    if (waves[picked].status != WaveStatus::Yielded)
      asleep = 0;
  }
  return Outcome::Preempted;
}

bool ResidentGroup::waveRepeats(Wave &w) {
  // Brent's cycle detection over the states at backward jumps.
  constexpr uint32_t maxSteps = 200000, maxHashes = 400;
  const KernelDescriptor &k = *group.dispatch->kernel;
  uint32_t vgprs = k.accumOffset < 256 ? k.accumOffset : 256;
  uint32_t agprs = k.vgprs - k.accumOffset < 256 ? k.vgprs - k.accumOffset : 256;
  uint64_t saved = 0;
  uint32_t savedStep = ~0u, power = 1, lap = 0, hashes = 0;
  for (uint32_t i = 0; i < maxSteps && hashes < maxHashes; ++i) {
    uint32_t before = w.step;
    advance(w, 1);
    if (w.status == WaveStatus::Yielded)
      w.status = WaveStatus::Running;
    if (w.status != WaveStatus::Running)
      return w.status == WaveStatus::AtBarrier;
    if (w.step > before)
      continue;
    uint64_t hash = stateHash(w, vgprs, agprs);
    ++hashes;
    if (savedStep == w.step && saved == hash)
      return true;
    if (++lap == power) {
      saved = hash;
      savedStep = w.step;
      power *= 2;
      lap = 0;
    }
  }
  return false;
}

bool ResidentGroup::isSpinning() {
  uint64_t before = group.progress;
  bool running = false;
  for (Wave &w : waves) {
    if (w.status == WaveStatus::Yielded)
      w.status = WaveStatus::Running;
    if (w.status != WaveStatus::Running)
      continue;
    running = true;
    if (!waveRepeats(w) || group.progress != before)
      return false;
  }
  // Waves at a barrier wait for the spinning ones; if all are, they go on.
  bool anyRunning = false;
  for (const Wave &w : waves)
    anyRunning |= w.status == WaveStatus::Running;
  return running && anyRunning;
}

std::string ResidentGroup::describeWaves() const {
  std::string text;
  for (const Wave &w : waves) {
    if (!isLive(w))
      continue;
    const Instruction &in = *w.steps[w.step].instruction;
    char line[256];
    std::snprintf(line, sizeof(line),
                  "  workgroup (%u, %u, %u) wave %u %s .text+0x%x: %s\n",
                  group.id[0], group.id[1], group.id[2], w.index,
                  w.status == WaveStatus::AtBarrier ? "waits at a barrier before"
                                                    : "repeats its state at",
                  in.pc, print(in, Arch(w.arch)).c_str());
    text += line;
  }
  return text;
}
