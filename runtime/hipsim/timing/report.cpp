// The JSON of a profile; the fields are described in README.md.
#include "runtime/hipsim/timing/report.h"

#include <algorithm>
#include <numeric>

namespace hipsim::timing {

namespace {

constexpr size_t stallsShown = 10;

void writeSizes(JsonWriter &json, const char *key, const uint32_t (&sizes)[3]) {
  json.key(key).array();
  for (uint32_t s : sizes)
    json.value(s);
  json.endArray();
}

void writeShares(JsonWriter &json, const Shares &s) {
  json.key("shares").object();
  json.field("hbm", s.hbm).field("mall", s.mall).field("l2", s.l2).field("l1", s.l1);
  json.field("lds", s.lds).field("matrix", s.matrix).field("vector", s.vector);
  json.field("scalar", s.scalar).endObject();
}

void writeOccupancy(JsonWriter &json, const Prediction &p) {
  uint64_t units = uint64_t(p.schedule.busyUnits);
  json.key("occupancy").object();
  json.field("workgroups_per_cu", p.occupancy.workgroups);
  json.field("waves_per_workgroup", p.occupancy.waves);
  json.field("waves_per_simd", double(p.occupancy.workgroups * p.occupancy.waves) / simdCount);
  json.field("limited_by", p.occupancy.limit);
  json.field("busy_cus", units);
  json.field("workgroups", p.workgroups);
  json.field("workgroups_of_busiest_cu", uint64_t(p.schedule.critical.size()));
  json.endObject();
}

/// Of the whole device: what the replayed unit counted, scaled.
void writeCounters(JsonWriter &json, const Prediction &p) {
  const UnitCounters &c = p.unit.counters;
  auto scaled = [&](double v) { return v * p.scale; };
  json.key("counters").object();
  json.key("instructions").object();
  for (uint32_t u = 0; u < uint32_t(Unit::Count); ++u)
    json.field(unitName(Unit(u)), scaled(double(c.issued[u])));
  json.endObject();
  json.key("busy_clk").object();
  for (Unit u : {Unit::Vector, Unit::Matrix, Unit::Scalar})
    json.field(unitName(u), scaled(double(c.busyClk[uint32_t(u)])));
  json.field("lds", scaled(double(c.ldsClk))).endObject();
  json.field("matrix_flops", p.flops());
  json.field("matrix_utilisation", p.shares.matrix);
  json.field("lds_bank_conflict_clk", scaled(double(c.ldsConflictClk)));
  json.field("bytes_in_flight_per_cu", p.bytesInFlight);
  const MemoryCounters &m = c.memory;
  json.key("l1").object().field("requests", scaled(double(m.l1Requests)));
  json.field("lines", scaled(double(m.l1Lines))).field("hits", scaled(double(m.l1Hits)));
  json.field("bytes", scaled(double(m.l1Bytes))).endObject();
  json.key("scalar_cache").object().field("lines", scaled(double(m.scalarRequests)));
  json.field("hits", scaled(double(m.scalarHits))).endObject();
  json.key("l2").object().field("reads", scaled(double(m.l2Reads)));
  json.field("hits", scaled(double(m.l2Hits)));
  json.field("read_bytes", scaled(double(m.l2ReadBytes)));
  json.field("write_bytes", scaled(double(m.l2WriteBytes)));
  json.field("footprint_exceeds_l2", p.exceedsL2).endObject();
  json.key("mall").object().field("transactions", p.mallBytes / lineBytes);
  json.field("bytes", p.mallBytes).endObject();
  json.key("hbm").object();
  json.field("transactions", (p.hbmReadBytes + p.hbmWriteBytes) / lineBytes);
  json.field("read_bytes", p.hbmReadBytes).field("write_bytes", p.hbmWriteBytes);
  json.endObject().endObject();
}

void writeWaits(JsonWriter &json, const uint64_t (&clk)[uint32_t(Wait::Count)], double perWave) {
  json.object();
  for (uint32_t w = 1; w < uint32_t(Wait::Count); ++w)
    if (clk[w])
      json.field(waitName(Wait(w)), double(clk[w]) * perWave);
  json.endObject();
}

void writeInstruction(JsonWriter &json, const Program &program, uint32_t step) {
  const Instruction &in = *program.steps()[step].instruction;
  json.field("pc", uint64_t(in.pc));
  json.field("instruction", print(in, program.object().arch));
}

/// The instructions at which waves waited longest, with clocks of all waves of
/// the replayed unit.
void writeStalls(JsonWriter &json, const Prediction &p, const Program &program) {
  const std::vector<StepWaits> &waits = p.unit.waits;
  auto total = [&](uint32_t step) {
    return std::accumulate(std::begin(waits[step].clk), std::end(waits[step].clk), uint64_t(0));
  };
  std::vector<uint32_t> steps(waits.size());
  std::iota(steps.begin(), steps.end(), 0u);
  size_t count = std::min(stallsShown, steps.size());
  std::partial_sort(steps.begin(), steps.begin() + long(count), steps.end(),
                    [&](uint32_t a, uint32_t b) { return std::pair(total(a), b) > std::pair(total(b), a); });
  uint64_t all = 0;
  for (uint64_t clk : p.unit.counters.waitedClk)
    all += clk;
  json.key("waits").object().key("by_reason_clk");
  writeWaits(json, p.unit.counters.waitedClk, 1);
  json.key("by_instruction").array();
  for (size_t i = 0; i < count && total(steps[i]); ++i) {
    json.object();
    writeInstruction(json, program, steps[i]);
    json.field("executed", waits[steps[i]].executed);
    json.field("clk", total(steps[i]));
    json.field("share", double(total(steps[i])) / double(std::max<uint64_t>(1, all)));
    json.key("reasons");
    writeWaits(json, waits[steps[i]].clk, 1);
    json.endObject();
  }
  json.endArray().endObject();
}

void writeLoop(JsonWriter &json, const Prediction &p, const Program &program,
               const std::vector<Cost> &costs) {
  json.key("hot_loop").object();
  if (p.loop.found()) {
    json.field("first_pc", uint64_t(program.steps()[p.loop.first].instruction->pc));
    json.field("last_pc", uint64_t(program.steps()[p.loop.last].instruction->pc));
    json.field("instructions", p.loop.last - p.loop.first + 1);
    json.field("clk_per_turn", p.unit.loopClk);
    json.key("by_unit").object();
    uint64_t counts[uint32_t(Unit::Count)] = {};
    for (uint32_t s = p.loop.first; s <= p.loop.last; ++s)
      ++counts[uint32_t(costs[s].unit)];
    for (uint32_t u = 0; u < uint32_t(Unit::Count); ++u)
      json.field(unitName(Unit(u)), counts[u]);
    json.endObject();
  }
  json.endObject();
}

void writeTimeline(JsonWriter &json, const Prediction &p, const Program &program,
                   const std::vector<Cost> &costs) {
  json.key("timeline").array();
  for (const Issue &issue : p.unit.timeline) {
    json.object().field("wave", issue.wave);
    json.field("start", issue.start).field("end", issue.end);
    json.field("unit", unitName(costs[issue.step].unit));
    json.field("waited", issue.waited);
    if (issue.waited)
      json.field("why", waitName(issue.why));
    writeInstruction(json, program, issue.step);
    json.endObject();
  }
  json.endArray();
}

} // namespace

void writeKernel(JsonWriter &json, const Prediction &p, const Program &program) {
  Arch arch = program.object().arch;
  const Rates &rates = ratesOf(arch);
  std::vector<Cost> costs = costsOf(program, {});
  json.object();
  json.field("kernel", p.kernel).field("code_object_sha256", p.codeObject);
  json.field("target", archName(arch)).field("device", deviceName(arch));
  writeSizes(json, "grid", p.grid);
  writeSizes(json, "block", p.block);
  json.field("predicted_us", p.us());
  json.field("kernel_us", p.kernelUs).field("launch_gap_us", p.launchGapUs);
  json.field("bound", p.bound);
  writeShares(json, p.shares);
  json.field("hbm_tb_s", p.kernelUs > 0 ? (p.hbmReadBytes + p.hbmWriteBytes) / p.kernelUs * 1e-6 : 0.0);
  json.field("matrix_tflops", p.kernelUs > 0 ? p.flops() / p.kernelUs * 1e-6 : 0.0);
  json.key("roofline").object();
  json.field("hbm_peak_tb_s", rates.hbmPeakTBs);
  json.field("hbm_achievable_tb_s", rates.hbmAchievableTBs);
  json.field("matrix_peak_tflops", p.matrixPeakTflops).endObject();
  writeOccupancy(json, p);
  writeCounters(json, p);
  writeStalls(json, p, program);
  writeLoop(json, p, program, costs);
  json.key("sample").object().field("recorded_workgroups", p.sampled);
  json.field("replayed_workgroups", p.replayed).field("replayed_clk", p.unitClk);
  json.field("counter_scale", p.scale).endObject();
  writeTimeline(json, p, program, costs);
  json.endObject();
}

void writeRates(JsonWriter &json, Arch arch) {
  json.array();
  for (const RateRow &row : rateRows(arch)) {
    json.object().field("name", row.name).field("value", row.value).field("unit", row.unit);
    json.field("kind", row.kind).field("source", row.source).endObject();
  }
  json.endArray();
}

} // namespace hipsim::timing
