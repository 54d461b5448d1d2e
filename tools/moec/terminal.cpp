// Output, input and messages of the tools; see terminal.h.
#include "tools/moec/terminal.h"

#include "runtime/base/file.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <random>
#include <unistd.h>

namespace moec::tool {

using std::chrono::steady_clock;

void startLog(bool verbose) {
  auto logger = spdlog::stderr_logger_mt("moec");
  logger->set_pattern("%v");
  logger->set_level(verbose ? spdlog::level::debug : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

int report(const Status &status) {
  if (!status.ok())
    spdlog::error("moec: error: {}", status.message());
  return static_cast<int>(status.code());
}

int finishOutput(int code) {
  bool complete = std::fflush(stdout) == 0 && !std::ferror(stdout);
  if (complete || code != 0)
    return code;
  return report(Status(ErrorCode::File, "cannot write all of the output to "
                                        "stdout: no space, or closed"));
}

void printJson(const OrderedJson &object) {
  // Bytes that are no UTF-8 (a damaged name) must not end the tool.
  std::string line =
      object.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

/// Columns of numbers (and of what stands for none) are aligned to the right.
static bool isNumeric(const std::string &cell) {
  return !cell.empty() &&
         cell.find_first_not_of("0123456789.,-+e% ") == std::string::npos;
}

void Table::print(const std::string &indent) const {
  size_t columns = rows.front().size();
  std::vector<size_t> width(columns, 0);
  std::vector<bool> right(columns, rows.size() > 1);
  for (size_t r = 0; r < rows.size(); ++r)
    for (size_t c = 0; c < columns; ++c) {
      width[c] = std::max(width[c], rows[r][c].size());
      if (r > 0 && !isNumeric(rows[r][c]))
        right[c] = false;
    }
  for (const auto &row : rows) {
    std::string line = indent;
    for (size_t c = 0; c < columns; ++c)
      line += right[c] ? fmt::format("{:>{}}  ", row[c], width[c])
                       : fmt::format("{:<{}}  ", row[c], width[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  }
  std::fflush(stdout);
}

Progress::Progress(std::string what)
    : what(std::move(what)), terminal(isatty(STDERR_FILENO) == 1),
      started(steady_clock::now()) {}

void Progress::update(uint64_t done, uint64_t total) {
  auto now = steady_clock::now();
  if (!terminal || total == 0 ||
      (done < total && now - printed < std::chrono::milliseconds(100)))
    return;
  printed = now;
  fmt::print(stderr, "\r{} {}/{} ({:.0f} %, {:.0f} s)\033[K", what, done, total,
             100.0 * double(done) / double(total),
             std::chrono::duration<double>(now - started).count());
}

Progress::~Progress() {
  if (terminal && printed != steady_clock::time_point())
    fmt::print(stderr, "\r\033[K");
}

std::string byteCount(uint64_t bytes) {
  static constexpr const char *units[] = {"B", "kB", "MB", "GB", "TB"};
  double value = double(bytes);
  size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes)
                   : fmt::format("{:.1f} {}", value, units[unit]);
}

Expected<std::string> readInput(const std::string &path) {
  if (path != "-")
    return readFile(path);
  std::string bytes;
  char buffer[1 << 16];
  size_t count;
  while ((count = std::fread(buffer, 1, sizeof(buffer), stdin)) > 0)
    bytes.append(buffer, count);
  if (std::ferror(stdin))
    return Status(ErrorCode::File, "cannot read stdin");
  return bytes;
}

Status writeOutput(const std::string &path, const std::string &bytes) {
  if (path != "-")
    return writeFileAtomically(path, bytes);
  size_t written = std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  if (written != bytes.size() || std::fflush(stdout) != 0)
    return Status(ErrorCode::File, "cannot write stdout");
  return {};
}

Expected<std::vector<int64_t>>
parseNumbers(const std::string &text, const std::string &option, bool zero) {
  std::vector<int64_t> numbers;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    int64_t number = 0;
    auto [next, error] = std::from_chars(at, end, number);
    bool separated = next == end || *next == ',';
    if (error != std::errc() || !separated || number < (zero ? 0 : 1) ||
        number > (int64_t(1) << 24))
      return Status(ErrorCode::Usage,
                    fmt::format("{}={}: expected numbers from {} to 16777216 "
                                "separated by commas, found '{}'",
                                option, text, zero ? 0 : 1,
                                std::string(at, end)));
    numbers.push_back(number);
    if (next == end)
      return numbers;
    at = next + 1;
  }
}

Expected<uint64_t> parseSeed(const std::string &text) {
  if (text.empty())
    return uint64_t(std::random_device()());
  uint64_t seed = 0;
  const char *end = text.data() + text.size();
  auto [next, error] = std::from_chars(text.data(), end, seed);
  if (error != std::errc() || next != end)
    return Status(ErrorCode::Usage,
                  fmt::format("--seed={}: expected a number from 0 to {}", text,
                              std::numeric_limits<uint64_t>::max()));
  return seed;
}

std::string shellQuote(const std::string &word) {
  constexpr const char *plain = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,@%+=-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos)
    return word;
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

static size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

std::string suggestion(const std::string &name,
                       const std::vector<std::string> &known) {
  const std::string *best = nullptr;
  size_t bestDistance = name.size() / 3 + 2;
  for (const std::string &candidate : known) {
    size_t distance = editDistance(name, candidate);
    if (!name.empty() && candidate.rfind(name, 0) == 0)
      distance = 1; // A name cut short.
    if (distance < bestDistance) {
      bestDistance = distance;
      best = &candidate;
    }
  }
  return best ? fmt::format(" (did you mean '{}'?)", *best) : "";
}

std::string join(const std::vector<std::string> &parts,
                 const std::string &separator) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : separator) + part;
  return text;
}

} // namespace moec::tool
