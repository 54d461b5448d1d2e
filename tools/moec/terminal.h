// What the tools print and read: data on stdout, talk on stderr, files whole.
//
// Data is what another program may read; everything else (errors, notes,
// progress) goes to stderr through spdlog.
#pragma once

#include "runtime/base/status.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace moec::tool {

using Json = nlohmann::json;
/// Keeps the order in which fields are added; for output only.
using OrderedJson = nlohmann::ordered_json;

/// Sets up the log: plain lines on stderr, debug ones with `verbose`.
void startLog(bool verbose);

/// Prints the error of `status`; returns the exit code for it.
int report(const Status &status);

/// The exit code after everything was printed: `code`, or that of a file error if
/// stdout did not take all of the output. Called once, at the end.
int finishOutput(int code);

/// One object a line on stdout.
void printJson(const OrderedJson &object);

/// Rows of text in aligned columns on stdout; columns of numbers to the right.
class Table {
public:
  explicit Table(std::vector<std::string> header) : rows{std::move(header)} {}
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  void print(const std::string &indent = "") const;

private:
  std::vector<std::vector<std::string>> rows;
};

/// A line on stderr that is rewritten while long work runs; silent when stderr
/// is no terminal. Owned and used by one thread.
class Progress {
public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  void update(uint64_t done, uint64_t total);

private:
  std::string what;
  bool terminal;
  std::chrono::steady_clock::time_point started, printed;
};

/// "1.2 GB", "3.4 MB", "512 B".
std::string byteCount(uint64_t bytes);

/// Whole content of a file, or of stdin for "-".
Expected<std::string> readInput(const std::string &path);

/// Writes a file whole or not at all; "-" is stdout.
Status writeOutput(const std::string &path, const std::string &bytes);

/// Positive (with `zero`: non-negative) numbers separated by commas.
Expected<std::vector<int64_t>>
parseNumbers(const std::string &text, const std::string &option, bool zero);

/// --seed: a number from 0 to 2^64 - 1; a new one for "".
Expected<uint64_t> parseSeed(const std::string &text);

/// `word` as a shell reads it back, in quotes if it needs them.
std::string shellQuote(const std::string &word);

/// " (did you mean 'x'?)" when `name` is close to one of `known`, else "".
std::string suggestion(const std::string &name,
                       const std::vector<std::string> &known);

std::string join(const std::vector<std::string> &parts,
                 const std::string &separator);

} // namespace moec::tool
