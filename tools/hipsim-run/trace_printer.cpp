// Printing of traces; see trace_printer.h.
#include "tools/hipsim-run/trace_printer.h"

#include "tools/moec/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace moec::hipsimrun {
namespace {

constexpr uint32_t waveLanes = 64, ldsLine = 32;

/// Scalar registers with names of their own.
std::string registerName(uint32_t file, uint32_t index) {
  if (file == HIPSIM_SCC)
    return "scc";
  if (file == HIPSIM_SCALAR)
    switch (index) {
    case 102: return "flat_scratch_lo";
    case 103: return "flat_scratch_hi";
    case 104: return "xnack_mask_lo";
    case 105: return "xnack_mask_hi";
    case 106: return "vcc_lo";
    case 107: return "vcc_hi";
    case 124: return "m0";
    case 126: return "exec_lo";
    case 127: return "exec_hi";
    default: break;
    }
  return fmt::format("{}{}", char(file), index);
}

bool isVector(uint32_t file) { return file == HIPSIM_VECTOR || file == HIPSIM_ACCUMULATION; }

/// "00000005", "00000005 in all lanes" or "[0] 00000001 [1] 00000002 .. (64 lanes)".
std::string laneText(const uint32_t *values, uint64_t mask, uint32_t limit) {
  uint32_t count = uint32_t(__builtin_popcountll(mask)), first = uint32_t(__builtin_ctzll(mask));
  bool same = true;
  for (uint32_t l = 0; l < waveLanes; ++l)
    same &= !(mask >> l & 1) || values[l] == values[first];
  if (same && count > 1)
    return fmt::format("{:08x} in {} lanes", values[first], count == waveLanes ? "all" : std::to_string(count));
  std::string text;
  uint32_t shown = 0;
  for (uint32_t l = 0; l < waveLanes && shown < limit; ++l)
    if (mask >> l & 1) {
      text += fmt::format("{}[{}] {:08x}", shown ? " " : "", l, values[l]);
      ++shown;
    }
  return shown < count ? text + fmt::format(" .. ({} lanes)", count) : text;
}

uint64_t execOf(const hipsim_wave_view *view) {
  uint32_t low = 0, high = 0;
  hipsimTraceRead(view, HIPSIM_SCALAR, 126, &low);
  hipsimTraceRead(view, HIPSIM_SCALAR, 127, &high);
  return uint64_t(high) << 32 | low;
}

std::string whereText(const hipsim_trace_event &e) {
  return fmt::format("wave {} [{}] .text+0x{:x} ({}{:+#x})", e.wave_in_grid, e.executed, e.pc,
                     e.kernel, int64_t(e.pc - e.kernel_entry));
}

void printLds(const hipsim_wave_view *view) {
  size_t bytes;
  const uint8_t *lds = hipsimTraceLds(view, &bytes);
  fmt::print("  LDS, {} bytes\n", bytes);
  bool skipping = false;
  for (size_t at = 0; at < bytes; at += ldsLine) {
    size_t count = std::min<size_t>(ldsLine, bytes - at);
    // As hexdump does it: a line like the one before is a star.
    if (at && count == ldsLine && std::memcmp(lds + at, lds + at - ldsLine, ldsLine) == 0) {
      if (!skipping)
        fmt::print("    *\n");
      skipping = true;
      continue;
    }
    skipping = false;
    std::string line;
    for (size_t i = 0; i < count; ++i)
      line += fmt::format("{}{:02x}", i % 4 ? "" : " ", lds[at + i]);
    fmt::print("    {:05x}:{}\n", at, line);
  }
}

} // namespace

void TracePrinter::start() {
  hipsim_trace_options options = {};
  options.struct_size = sizeof(options);
  options.waves = waves.data();
  options.wave_count = waves.size();
  options.breakpoints = breakpoints.data();
  options.breakpoint_count = breakpoints.size();
  options.callback = onEvent;
  options.user = this;
  if (!waves.empty() || !breakpoints.empty())
    hipsimTrace(&options);
}

void TracePrinter::onEvent(const hipsim_trace_event *e, void *self) {
  static_cast<TracePrinter *>(self)->event(*e);
}

void TracePrinter::event(const hipsim_trace_event &e) {
  if (e.when == HIPSIM_TRACE_BREAK && ++seen > breakHits)
    return;
  if (json) {
    printJson(e);
    return;
  }
  if (e.when == HIPSIM_TRACE_BREAK) {
    fmt::print("break {}  {}\n  workgroup ({}, {}, {}) wave {}\n", whereText(e), e.instruction,
               e.workgroup[0], e.workgroup[1], e.workgroup[2], e.wave);
    printWave(e);
    return;
  }
  printStep(e);
  if (dumpAtEnd && std::strncmp(e.instruction, "s_endpgm", 8) == 0)
    printWave(e);
}

void TracePrinter::printStep(const hipsim_trace_event &e) {
  fmt::print("{}  {}\n", whereText(e), e.instruction);
  for (size_t i = 0; i < e.change_count; ++i) {
    const hipsim_register_change &c = e.changes[i];
    uint32_t values[waveLanes];
    hipsimTraceRead(e.view, c.file, c.index, values);
    fmt::print("    {} = {}\n", registerName(c.file, c.index),
               isVector(c.file) ? laneText(values, c.lanes, lanes)
                                : fmt::format("{:08x}", values[0]));
  }
}

void TracePrinter::printWave(const hipsim_trace_event &e) {
  uint32_t values[waveLanes];
  std::string line;
  for (uint32_t i = 0; i < hipsimTraceRegisters(e.view, HIPSIM_SCALAR); ++i) {
    hipsimTraceRead(e.view, HIPSIM_SCALAR, i, values);
    line += fmt::format("  {:>8} {:08x}", registerName(HIPSIM_SCALAR, i), values[0]);
    if (i % 8 == 7) {
      fmt::print("{}\n", line);
      line.clear();
    }
  }
  hipsimTraceRead(e.view, HIPSIM_SCC, 0, values);
  fmt::print("  {:>8} {}, exec {:016x}\n", "scc", values[0], execOf(e.view));
  for (uint32_t file : {HIPSIM_VECTOR, HIPSIM_ACCUMULATION})
    for (uint32_t i = 0; i < hipsimTraceRegisters(e.view, file); ++i) {
      hipsimTraceRead(e.view, file, i, values);
      fmt::print("  {:>8} {}\n", registerName(file, i), laneText(values, ~0ull, lanes));
    }
  printLds(e.view);
}

void TracePrinter::printJson(const hipsim_trace_event &e) {
  bool stop = e.when == HIPSIM_TRACE_BREAK;
  tool::OrderedJson object = {{"event", stop ? "break" : "step"},
                              {"kernel", e.kernel},
                              {"workgroup", {e.workgroup[0], e.workgroup[1], e.workgroup[2]}},
                              {"wave", e.wave_in_grid},
                              {"executed", e.executed},
                              {"pc", e.pc},
                              {"instruction", e.instruction},
                              {"exec", fmt::format("{:016x}", execOf(e.view))}};
  tool::OrderedJson registers = tool::OrderedJson::object();
  auto add = [&](uint32_t file, uint32_t index) {
    uint32_t values[waveLanes];
    hipsimTraceRead(e.view, file, index, values);
    tool::OrderedJson &slot = registers[registerName(file, index)];
    if (isVector(file))
      slot = std::vector<uint32_t>(values, values + waveLanes);
    else
      slot = values[0];
  };
  for (size_t i = 0; i < e.change_count; ++i)
    add(e.changes[i].file, e.changes[i].index);
  if (stop) {
    for (uint32_t file : {HIPSIM_SCALAR, HIPSIM_SCC, HIPSIM_VECTOR, HIPSIM_ACCUMULATION})
      for (uint32_t i = 0; i < hipsimTraceRegisters(e.view, file); ++i)
        add(file, i);
    size_t bytes;
    const uint8_t *lds = hipsimTraceLds(e.view, &bytes);
    std::string text;
    for (size_t i = 0; i < bytes; ++i)
      text += fmt::format("{:02x}", lds[i]);
    object["lds"] = text;
  }
  object["registers"] = std::move(registers);
  tool::printJson(object);
}

} // namespace moec::hipsimrun
