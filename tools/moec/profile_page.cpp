// Tables and inline SVG of a profile; see profile_page.h.
#include "tools/moec/profile_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace moec::tool {
namespace {

constexpr const char *style = R"(
body{font:14px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:1180px;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.15rem;margin-top:2.2rem;border-top:1px solid #ccc;padding-top:1rem}
table{border-collapse:collapse;margin:.6rem 0}td,th{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #eee}
td:first-child,th:first-child{text-align:left}code{font-size:12px}svg{display:block;max-width:100%;height:auto;margin:.6rem 0}
svg text{font:11px system-ui,sans-serif;fill:#333}.note{color:#666}
)";

/// Colours of the units in the timeline.
const std::map<std::string, const char *> colours = {
    {"vector", "#4c78a8"},        {"matrix", "#e45756"}, {"scalar", "#9d9d9d"},
    {"scalar_memory", "#b279a2"}, {"lds", "#f2b134"},    {"vector_memory", "#54a24b"},
    {"branch", "#666666"},        {"control", "#cccccc"}};

std::string escape(const std::string &text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '&': out += "&amp;"; break;
    case '"': out += "&quot;"; break;
    default: out += c;
    }
  return out;
}

std::string row(const std::vector<std::string> &cells, const char *tag = "td") {
  std::string out = "<tr>";
  for (const std::string &cell : cells)
    out += fmt::format("<{0}>{1}</{0}>", tag, cell);
  return out + "</tr>\n";
}

/// Logarithmic axes: FLOP a byte, and TFLOP/s.
struct RooflineScale {
  static constexpr double left = 60, top = 15, width = 620, height = 290;
  static constexpr double lowX = -2, highX = 4, lowY = -2, highY = 4;
  static double x(double intensity) {
    return left + (std::clamp(std::log10(intensity), lowX, highX) - lowX) / (highX - lowX) * width;
  }
  static double y(double tflops) {
    return top + height - (std::clamp(std::log10(tflops), lowY, highY) - lowY) / (highY - lowY) * height;
  }
};

double bytesOf(const Json &k) {
  const Json &hbm = k["counters"]["hbm"];
  return double(hbm["read_bytes"]) + double(hbm["write_bytes"]);
}

std::string rooflineAxes() {
  using S = RooflineScale;
  std::string out;
  for (int e = int(S::lowX); e <= int(S::highX); ++e) {
    double x = S::x(std::pow(10.0, e));
    out += fmt::format("<line x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}' stroke='#eee'/>"
                       "<text x='{0:.1f}' y='{3}' text-anchor='middle'>1e{4}</text>\n",
                       x, S::top, S::top + S::height, S::top + S::height + 15, e);
  }
  for (int e = int(S::lowY); e <= int(S::highY); ++e) {
    double y = S::y(std::pow(10.0, e));
    out += fmt::format("<line x1='{1}' x2='{2}' y1='{0:.1f}' y2='{0:.1f}' stroke='#eee'/>"
                       "<text x='{3}' y='{4:.1f}' text-anchor='end'>1e{5}</text>\n",
                       y, S::left, S::left + S::width, S::left - 5, y + 4, e);
  }
  return out + fmt::format("<text x='{}' y='{}' text-anchor='middle'>matrix FLOP per byte of HBM</text>\n"
                           "<text x='{}' y='{}'>TFLOP/s</text>\n",
                           S::left + S::width / 2, S::top + S::height + 32, 5, S::top + 6);
}

std::string roofline(const Json &document) {
  using S = RooflineScale;
  std::string out = fmt::format("<svg class='roofline' viewBox='0 0 760 345' width='760' role='img' "
                                "aria-label='roofline'>\n");
  out += rooflineAxes();
  double bandwidth = 0, achievable = 0, peak = 0;
  for (const Json &k : document["kernels"]) {
    bandwidth = double(k["roofline"]["hbm_peak_tb_s"]);
    achievable = double(k["roofline"]["hbm_achievable_tb_s"]);
    peak = std::max(peak, double(k["roofline"]["matrix_peak_tflops"]));
  }
  double roof = peak > 0 ? peak : 1e4;
  auto slope = [&](double rate, const char *dash) {
    double from = std::pow(10.0, S::lowX), ridge = roof / rate;
    return fmt::format("<polyline fill='none' stroke='#333' {} points='{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}'/>\n",
                       dash, S::x(from), S::y(from * rate), S::x(ridge), S::y(roof), S::left + S::width, S::y(roof));
  };
  if (bandwidth > 0)
    out += slope(bandwidth, "") + slope(achievable, "stroke-dasharray='4 3'");
  int shown = 0;
  for (const Json &k : document["kernels"]) {
    double bytes = bytesOf(k), flops = double(k["counters"]["matrix_flops"]);
    if (bytes <= 0 || flops <= 0)
      continue; // No place on this plot: it computes nothing on the matrix units.
    double x = S::x(flops / bytes), y = S::y(double(k["matrix_tflops"]));
    out += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='5' fill='#e45756'><title>{}</title></circle>"
                       "<text x='{:.1f}' y='{:.1f}'>{}</text>\n",
                       x, y, escape(k["kernel"]), x + 8, y + 4 + 13 * (shown % 2), escape(k["kernel"]));
    ++shown;
  }
  return out + "</svg>\n<p class='note'>Solid: datasheet bandwidth and matrix peak. Dashed: the "
               "bandwidth that the model lets kernels achieve. Kernels without matrix instructions "
               "are not shown.</p>\n";
}

std::string legend() {
  std::string out = "<p>";
  for (const auto &[unit, colour] : colours)
    out += fmt::format("<span style='background:{};padding:0 .5em;margin-right:.3em'>&nbsp;</span>{} &nbsp; ",
                       colour, unit);
  return out + "</p>\n";
}

/// A lane a wave; bars are instructions, gaps are waits.
std::string timeline(const Json &kernel) {
  const Json &issues = kernel["timeline"];
  if (issues.empty())
    return "<p class='note'>Nothing was recorded.</p>\n";
  std::map<int64_t, int> lanes;
  double first = 1e300, last = 0;
  for (const Json &i : issues) {
    lanes.emplace(int64_t(i["wave"]), 0);
    first = std::min(first, double(i["start"]));
    last = std::max(last, double(i["end"]));
  }
  int next = 0;
  for (auto &[wave, lane] : lanes)
    lane = next++;
  constexpr double left = 60, width = 1080, lane = 26;
  double height = lane * double(lanes.size()) + 40, scale = width / std::max(1.0, last - first);
  std::string out = fmt::format("<svg class='timeline' viewBox='0 0 1150 {0:.0f}' width='1150' role='img' "
                                "aria-label='timeline'>\n", height);
  for (const auto &[wave, number] : lanes)
    out += fmt::format("<text x='2' y='{:.1f}'>wave {}</text>\n", 10 + lane * number + 15, wave);
  for (const Json &i : issues) {
    double start = double(i["start"]) - first, busy = double(i["end"]) - double(i["start"]);
    double y = 10 + lane * lanes[int64_t(i["wave"])], waited = double(i["waited"]);
    std::string why = i.contains("why") ? std::string(i["why"]) : "";
    if (waited > 0)
      out += fmt::format("<rect x='{:.2f}' y='{:.1f}' width='{:.2f}' height='4' fill='#f6c9c9'/>\n",
                         left + std::max(0.0, start - waited) * scale, y + 8,
                         std::min(waited, start) * scale);
    out += fmt::format("<rect x='{:.2f}' y='{:.1f}' width='{:.2f}' height='20' fill='{}'><title>{} at clk {:.0f}, "
                       "{:.0f} clk{}</title></rect>\n",
                       left + start * scale, y, std::max(0.4, busy * scale - 0.2),
                       colours.count(i["unit"]) ? colours.at(i["unit"]) : "#000", escape(i["instruction"]),
                       start, busy, waited > 0 ? fmt::format(", waited {:.0f} ({})", waited, escape(why)) : "");
  }
  out += fmt::format("<text x='{}' y='{:.1f}'>0</text><text x='{}' y='{:.1f}' text-anchor='end'>{:.0f} clk"
                     "</text>\n</svg>\n", left, height - 10, left + width, height - 10, last - first);
  return out + legend();
}

std::string waits(const Json &kernel) {
  std::string out = "<table>\n" + row({"instruction", "pc", "share of waits", "executed", "reasons"}, "th");
  for (const Json &w : kernel["waits"]["by_instruction"]) {
    std::string reasons;
    for (const auto &[reason, clk] : w["reasons"].items())
      reasons += fmt::format("{}{} {:.0f}", reasons.empty() ? "" : ", ", reason, double(clk));
    out += row({"<code>" + escape(w["instruction"]) + "</code>", fmt::format("0x{:x}", uint64_t(w["pc"])),
                fmt::format("{:.1f} %", 100 * double(w["share"])), fmt::format("{}", uint64_t(w["executed"])),
                escape(reasons)});
  }
  return out + "</table>\n";
}

std::string kernelSection(const Json &k) {
  const Json &occupancy = k["occupancy"], &loop = k["hot_loop"];
  std::string out = fmt::format(
      "<h2>{}</h2>\n<p>{:.2f} us by the model ({:.2f} of them the gap before it), bound: <b>{}</b>. "
      "{:.1f} waves a SIMD, limited by {}; {} workgroups, {} on the busiest compute unit. "
      "Code object <code>{}</code>.</p>\n",
      escape(k["kernel"]), double(k["predicted_us"]), double(k["launch_gap_us"]), escape(k["bound"]),
      double(occupancy["waves_per_simd"]), escape(occupancy["limited_by"]), uint64_t(occupancy["workgroups"]),
      uint64_t(occupancy["workgroups_of_busiest_cu"]), escape(k["code_object_sha256"]));
  if (!loop.contains("clk_per_turn") || double(loop["clk_per_turn"]) <= 0)
    out += "<p>No loop of some turns. The beginning on one SIMD:</p>\n";
  else
    out += fmt::format("<p>Hot loop 0x{:x} to 0x{:x}: {} instructions, {:.0f} clk a turn. One SIMD, two turns:</p>\n",
                       uint64_t(loop["first_pc"]), uint64_t(loop["last_pc"]), uint64_t(loop["instructions"]),
                       double(loop["clk_per_turn"]));
  return out + timeline(k) + waits(k);
}

std::string overview(const Json &document) {
  std::string out = "<table>\n" + row({"kernel", "model us", "bound", "HBM", "MALL", "L2", "L1", "LDS", "matrix",
                                       "vector", "scalar", "HBM MB", "LDS conflict clk"}, "th");
  for (const Json &k : document["kernels"]) {
    std::vector<std::string> cells = {escape(k["kernel"]), fmt::format("{:.2f}", double(k["predicted_us"])),
                                      escape(k["bound"])};
    for (const char *share : {"hbm", "mall", "l2", "l1", "lds", "matrix", "vector", "scalar"})
      cells.push_back(fmt::format("{:.0f} %", 100 * double(k["shares"][share])));
    cells.push_back(fmt::format("{:.1f}", bytesOf(k) * 1e-6));
    cells.push_back(fmt::format("{:.0f}", double(k["counters"]["lds_bank_conflict_clk"])));
    out += row(cells);
  }
  return out + "</table>\n";
}

} // namespace

std::string profilePage(const Json &documents) {
  std::string out = fmt::format("<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
                                "<title>moec profile (model)</title><style>{}</style></head><body>\n", style);
  for (const Json &document : documents) {
    out += fmt::format("<h1>{}, {} tokens: {:.1f} us by the model</h1>\n<p class='note'>{} {}; seed {}.</p>\n",
                       escape(document["problem"]), int64_t(document["tokens"]), double(document["predicted_us"]),
                       escape(document["note"]), escape(document["model"]), uint64_t(document["seed"]));
    out += overview(document) + roofline(document);
    for (const Json &k : document["kernels"])
      out += kernelSection(k);
  }
  return out + "</body></html>\n";
}

} // namespace moec::tool
