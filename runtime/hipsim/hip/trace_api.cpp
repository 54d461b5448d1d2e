// The trace functions (hipsim_trace.h): a tracer that calls the host back.
//
// Which registers an instruction changed is found by comparing all of them
// before and after: slow, but right for every instruction by construction.
#include "runtime/hipsim/hip/trace_api.h"

#include "runtime/hipsim/exec/dispatch.h"

#include "runtime/hipsim/hip/hipsim_trace.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

using namespace hipsim;

struct hipsim_wave_view {
  const Wave *wave;
};

namespace {

struct Settings {
  std::vector<uint64_t> waves, breakpoints;
  hipsim_trace_callback callback = nullptr;
  void *user = nullptr;
};
std::mutex settingsMutex;
std::shared_ptr<const Settings> settings;

uint32_t vectorCount(const Wave &w) {
  return std::min(w.group->dispatch->kernel->accumOffset, 256u);
}
uint32_t accumulationCount(const Wave &w) {
  const KernelDescriptor &k = *w.group->dispatch->kernel;
  return std::min(k.vgprs - std::min(k.vgprs, k.accumOffset), 256u);
}

/// A copy of everything that an instruction may change in registers.
struct Registers {
  uint32_t sgpr[128];
  uint32_t scc;
  std::vector<Row> vector, accumulation;

  void copy(const Wave &w) {
    std::memcpy(sgpr, w.sgpr, sizeof(sgpr));
    scc = w.scc;
    vector.assign(w.rows, w.rows + vectorCount(w));
    accumulation.assign(w.rows + agprRow, w.rows + agprRow + accumulationCount(w));
  }
};

void compareRows(uint32_t file, const std::vector<Row> &before, const Row *after,
                 std::vector<hipsim_register_change> &out) {
  for (uint32_t r = 0; r < before.size(); ++r) {
    uint64_t lanes = 0;
    for (uint32_t l = 0; l < laneCount; ++l)
      lanes |= uint64_t(before[r].lane[l] != after[r].lane[l]) << l;
    if (lanes)
      out.push_back({file, r, lanes});
  }
}

class CallbackTracer : public Tracer {
public:
  explicit CallbackTracer(std::shared_ptr<const Settings> chosen)
      : chosen(std::move(chosen)) {}

  bool watches(const Wave &w) const override {
    return !chosen->breakpoints.empty() || isTraced(w);
  }
  void before(const Wave &w, const Step &s) override {
    const auto &points = chosen->breakpoints;
    if (std::find(points.begin(), points.end(), s.instruction->pc) != points.end())
      call(HIPSIM_TRACE_BREAK, w, s);
    if (isTraced(w))
      registers.copy(w);
  }
  void after(const Wave &w, const Step &s) override {
    if (!isTraced(w))
      return;
    changes.clear();
    for (uint32_t i = 0; i < 128; ++i)
      if (registers.sgpr[i] != w.sgpr[i])
        changes.push_back({HIPSIM_SCALAR, i, 1});
    if (registers.scc != w.scc)
      changes.push_back({HIPSIM_SCC, 0, 1});
    compareRows(HIPSIM_VECTOR, registers.vector, w.rows, changes);
    compareRows(HIPSIM_ACCUMULATION, registers.accumulation, w.rows + agprRow, changes);
    call(HIPSIM_TRACE_STEP, w, s);
  }

private:
  bool isTraced(const Wave &w) const {
    const auto &waves = chosen->waves;
    return std::find(waves.begin(), waves.end(), waveInGrid(w)) != waves.end();
  }
  /// Assembly of a step; loops print the same ones again and again.
  const char *text(const Wave &w, const Step &s) {
    auto [it, added] = texts.try_emplace(&s);
    if (added)
      it->second = s.instruction->op == Op::Invalid
                       ? "(not decodable)"
                       : print(*s.instruction, Arch(w.arch));
    return it->second.c_str();
  }
  void call(uint32_t when, const Wave &w, const Step &s) {
    const Dispatch &d = *w.group->dispatch;
    hipsim_wave_view view = {&w};
    hipsim_trace_event e = {};
    e.struct_size = sizeof(e);
    e.when = when;
    e.wave = w.index;
    std::copy_n(w.group->id, 3, e.workgroup);
    e.wave_in_grid = waveInGrid(w);
    for (uint64_t count : w.executed)
      e.executed += count;
    e.executed += when == HIPSIM_TRACE_BREAK; // It comes next.
    e.pc = s.instruction->pc;
    e.kernel_entry = d.kernel->entry;
    e.kernel = d.kernel->name.c_str();
    e.instruction = text(w, s);
    if (when == HIPSIM_TRACE_STEP) {
      e.changes = changes.data();
      e.change_count = changes.size();
    }
    e.view = &view;
    chosen->callback(&e, chosen->user);
  }

  std::shared_ptr<const Settings> chosen;
  Registers registers;
  std::vector<hipsim_register_change> changes;
  std::unordered_map<const Step *, std::string> texts;
};

} // namespace

std::shared_ptr<Tracer> hipsim::makeTracer() {
  std::lock_guard lock(settingsMutex);
  return settings ? std::make_shared<CallbackTracer>(settings) : nullptr;
}

int hipsimTrace(const hipsim_trace_options *options) {
  std::shared_ptr<Settings> made;
  if (options) {
    if (options->struct_size != sizeof(*options) || !options->callback)
      return 1;
    made = std::make_shared<Settings>();
    made->waves.assign(options->waves, options->waves + options->wave_count);
    made->breakpoints.assign(options->breakpoints,
                             options->breakpoints + options->breakpoint_count);
    made->callback = options->callback;
    made->user = options->user;
  }
  std::lock_guard lock(settingsMutex);
  settings = std::move(made);
  return 0;
}

uint32_t hipsimTraceRegisters(const hipsim_wave_view *view, uint32_t file) {
  switch (file) {
  case HIPSIM_SCALAR: return 128;
  case HIPSIM_VECTOR: return vectorCount(*view->wave);
  case HIPSIM_ACCUMULATION: return accumulationCount(*view->wave);
  case HIPSIM_SCC: return 1;
  default: return 0;
  }
}

int hipsimTraceRead(const hipsim_wave_view *view, uint32_t file, uint32_t index,
                    uint32_t *lanes) {
  const Wave &w = *view->wave;
  if (index >= hipsimTraceRegisters(view, file))
    return 1;
  switch (file) {
  case HIPSIM_SCALAR: lanes[0] = w.sgpr[index]; break;
  case HIPSIM_SCC: lanes[0] = w.scc; break;
  case HIPSIM_VECTOR: std::memcpy(lanes, w.rows[index].lane, sizeof(Row)); break;
  default: std::memcpy(lanes, w.rows[agprRow + index].lane, sizeof(Row));
  }
  return 0;
}

const uint8_t *hipsimTraceLds(const hipsim_wave_view *view, size_t *bytes) {
  *bytes = view->wave->group->ldsBytes;
  return view->wave->group->lds;
}
