// Deletes or weakens one s_waitcnt, or deletes one s_barrier, at a time in
// kernels that clang made, and expects a report for each that matters.
//
// A mutation matters if by the static rule (static_waits.h) the wait covers a
// live use, or if the output differs under any of 32 seeds without checks.
#include "tests/sim/checks/corpus.h"
#include "tests/sim/checks/static_waits.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

using namespace hipsim;
using namespace hipsim::test;

namespace {

const char *levels[] = {"O0", "O1", "O2", "O3"};
constexpr uint32_t nop = 0xbf800000, trap = 0xbf920002;
constexpr int seedCount = 32;

void setOption(const char *name, const std::string &value) {
  REQUIRE(hipsimSetOption(name, value.c_str()) == hipSuccess);
}

/// One replaced instruction.
struct Mutation {
  uint32_t pc, dword;
  std::string what; ///< "delete s_barrier #2"; numbers count in the kernel.
  bool isBarrier;
};

struct Loaded {
  std::vector<uint8_t> file;
  CodeObject code;
  DecodedText text;
  size_t textInFile;
};

Loaded load(const KernelCase &c, const std::string &level) {
  Loaded l;
  l.file = readCode(c, level);
  std::string error;
  REQUIRE(loadCodeObject(l.file.data(), l.file.size(), l.code, error));
  l.text = decodeText(l.code);
  auto at = std::search(l.file.begin(), l.file.end(), l.code.text(), l.code.text() + l.code.textSize);
  REQUIRE(at != l.file.end());
  l.textInFile = size_t(at - l.file.begin());
  return l;
}

std::vector<uint8_t> patched(const Loaded &l, uint32_t pc, uint32_t dword) {
  std::vector<uint8_t> file = l.file;
  std::memcpy(&file[l.textInFile + pc], &dword, 4);
  return file;
}

void addWaitMutations(const Instruction &in, const std::string &name, std::vector<Mutation> &out) {
  uint32_t imm = uint32_t(in.imm) & 0xffff;
  uint32_t vm = (imm & 15) | (imm >> 14 & 3) << 4, lgkm = imm >> 8 & 15;
  out.push_back({in.pc, nop, "delete " + name, false});
  auto weaken = [&](const char *counter, uint32_t newVm, uint32_t newLgkm) {
    uint32_t weak = (imm & 0x30f0 & ~0xfu) | (newVm & 15) | (newVm >> 4) << 14 | newLgkm << 8;
    out.push_back({in.pc, 0xbf8c0000 | weak, std::string("weaken ") + counter + " of " + name, false});
  };
  if (vm < 62)
    weaken("vmcnt", vm + 1, lgkm);
  if (lgkm < 14)
    weaken("lgkmcnt", vm, lgkm + 1);
}

/// Everything from the kernel's entry to the next one's.
std::vector<Mutation> mutationsOf(const Loaded &l, const std::string &kernel) {
  uint32_t entry = l.code.findKernel(kernel)->entry, end = uint32_t(l.code.textSize);
  for (const KernelDescriptor &k : l.code.kernels)
    if (k.entry > entry)
      end = std::min(end, k.entry);
  std::vector<Mutation> result;
  int waits = 0, barriers = 0;
  for (const Instruction &in : l.text.instructions) {
    if (in.pc < entry || in.pc >= end)
      continue;
    if (in.op == Op::S_WAITCNT)
      addWaitMutations(in, "s_waitcnt #" + std::to_string(++waits), result);
    if (in.op == Op::S_BARRIER)
      result.push_back({in.pc, nop, "delete s_barrier #" + std::to_string(++barriers), true});
  }
  return result;
}

bool staticallyMatters(const std::vector<uint8_t> &file, const std::string &kernel) {
  CodeObject code;
  std::string error;
  REQUIRE(loadCodeObject(file.data(), file.size(), code, error));
  return !findEarlyUses(decodeText(code), code.findKernel(kernel)->entry).empty();
}

bool outputDiffers(const KernelCase &c, const std::vector<uint8_t> &file,
                   const std::vector<uint8_t> &expected) {
  setOption("checks", "none");
  bool differs = false;
  for (int seed = 1; seed <= seedCount && !differs; ++seed) {
    setOption("seed", std::to_string(seed));
    RunResult r = runCase(c, file);
    differs = r.error != hipSuccess || r.memory != expected;
  }
  setOption("seed", "1");
  return differs;
}

/// "mutant: reason" lines of survivors.txt.
std::map<std::string, std::string> readSurvivors() {
  std::map<std::string, std::string> result;
  std::ifstream file(HIPSIM_SURVIVORS);
  for (std::string line; std::getline(file, line);) {
    size_t colon = line.find(": ");
    if (!line.empty() && line[0] != '#' && colon != std::string::npos)
      result[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return result;
}

struct Tally {
  int mutants = 0, barriers = 0, mattering = 0, caught = 0, onlyReported = 0, notExecuted = 0;
  std::vector<std::string> survivors;
};

/// A kernel with all inputs that the corpus has for it: a mutation is caught
/// when one of them shows it.
struct Subject {
  std::vector<KernelCase> cases;
  std::string level;
  Loaded loaded;
  std::vector<std::vector<uint8_t>> expected; ///< Memory after each case.

  bool anyFails(const std::vector<uint8_t> &file) const {
    return std::any_of(cases.begin(), cases.end(), [&](const KernelCase &c) {
      return runCase(c, file).error != hipSuccess;
    });
  }
  bool anyDiffers(const std::vector<uint8_t> &file) const {
    for (size_t i = 0; i < cases.size(); ++i)
      if (!cases[i].orderDependent && outputDiffers(cases[i], file, expected[i]))
        return true;
    return false;
  }
};

std::vector<Subject> subjects() {
  std::vector<Subject> result;
  for (const char *level : levels)
    for (const KernelCase &c : corpus()) {
      bool another = !result.empty() && result.back().level == level &&
                     std::string(result.back().cases[0].kernel) == c.kernel;
      if (!another)
        result.push_back({{}, level, load(c, level), {}});
      result.back().cases.push_back(c);
      setOption("checks", "none");
      result.back().expected.push_back(runCase(c, result.back().loaded.file).memory);
    }
  return result;
}

void tryMutant(const Subject &s, const Mutation &m, Tally &tally) {
  const KernelCase &first = s.cases[0];
  std::vector<uint8_t> file = patched(s.loaded, m.pc, m.dword);
  ++tally.mutants;
  setOption("checks", "waits,races");
  bool reported = s.anyFails(file);
  bool matters = m.isBarrier ? s.anyDiffers(file) : staticallyMatters(file, first.kernel);
  if (!matters) {
    tally.onlyReported += reported;
    return;
  }
  ++tally.mattering;
  tally.barriers += m.isBarrier;
  tally.caught += reported;
  if (reported)
    return;
  setOption("checks", "none");
  bool executed = s.anyFails(patched(s.loaded, m.pc, trap));
  tally.notExecuted += !executed;
  tally.survivors.push_back(std::string(first.source) + "." + s.level + " " + first.kernel + " " +
                            m.what + (executed ? "" : " (not executed)"));
}

} // namespace

TEST_CASE("unmodified kernels of clang give no report", "[checks]") {
  for (const char *level : levels)
    for (const KernelCase &c : corpus()) {
      Loaded l = load(c, level);
      INFO(c.source << "." << level << " " << c.kernel);
      std::vector<uint8_t> results[2];
      for (const char *checks : {"none", "all"}) {
        setOption("checks", checks);
        for (int seed : {0, 1, 2}) {
          setOption("seed", std::to_string(seed));
          RunResult r = runCase(c, l.file);
          INFO("seed " << seed << " checks " << checks << "\n" << r.report);
          CHECK(r.error == hipSuccess);
          results[checks[0] == 'a'] = r.memory;
        }
      }
      setOption("seed", "1");
      if (!c.orderDependent)
        CHECK(results[0] == results[1]);
      // The judge of the mutations must not see phantoms either.
      CHECK(findEarlyUses(l.text, l.code.findKernel(c.kernel)->entry).empty());
    }
  setOption("checks", "none");
}

TEST_CASE("mutations that matter are reported", "[checks][mutation]") {
  Tally tally;
  for (const Subject &s : subjects())
    for (const Mutation &m : mutationsOf(s.loaded, s.cases[0].kernel))
      tryMutant(s, m, tally);
  setOption("checks", "none");
  double share = 100.0 * tally.caught / std::max(tally.mattering, 1);
  std::cout << "mutants " << tally.mutants << ", mattering " << tally.mattering << " (barriers "
            << tally.barriers << "), caught "
            << tally.caught << " (" << share << " %), reported beyond the rule "
            << tally.onlyReported << ", survivors " << tally.survivors.size() << " of which not executed "
            << tally.notExecuted << "\n";
  CHECK(tally.mutants >= 300);
  CHECK(share >= 95);
  std::map<std::string, std::string> known = readSurvivors();
  for (const std::string &survivor : tally.survivors)
    if (!known.count(survivor)) {
      std::cout << "survivor without a reason in survivors.txt: " << survivor << "\n";
      CHECK(known.count(survivor));
    }
}
