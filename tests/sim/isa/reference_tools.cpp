// Running llvm-objdump and llvm-mc and reading what they print.
#include "tests/sim/isa/reference_tools.h"

#include "runtime/hipsim/isa/code_object.h"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace hipsim::test {

std::string commandOutput(const std::string &command) {
  FILE *pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  std::string output;
  char buffer[4096];
  for (size_t count; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    output.append(buffer, count);
  pclose(pipe);
  return output;
}

std::string normalise(const std::string &text) {
  std::istringstream words(text);
  std::string result, word;
  while (words >> word)
    result += (result.empty() ? "" : " ") + word;
  return result;
}

/// "BF8C0070 ..." of objdump: dwords as numbers, most significant first.
static std::vector<uint8_t> dwordBytes(const std::string &text) {
  std::istringstream words(text);
  std::vector<uint8_t> bytes;
  std::string word;
  while (words >> word && word.size() == 8 &&
         word.find_first_not_of("0123456789ABCDEF") == std::string::npos) {
    const uint32_t value = uint32_t(std::stoul(word, nullptr, 16));
    for (unsigned i = 0; i < 4; ++i)
      bytes.push_back(uint8_t(value >> 8 * i));
  }
  return bytes;
}

std::vector<ReferenceLine> disassembleFile(const std::string &path) {
  // A line is "<tab>text // ADDRESS: DWORDS [<symbol+offset>]".
  std::istringstream lines(commandOutput(std::string(HIPSIM_OBJDUMP) + " -d " + path));
  std::vector<ReferenceLine> result;
  for (std::string line; std::getline(lines, line);) {
    const size_t comment = line.find("// ");
    const size_t colon = comment == std::string::npos ? comment : line.find(": ", comment);
    if (colon == std::string::npos)
      continue;
    result.push_back({normalise(line.substr(0, comment)), dwordBytes(line.substr(colon + 2))});
  }
  return result;
}

std::vector<std::string> disassemble(Arch arch, const std::vector<std::vector<uint8_t>> &encodings) {
  // A marker after each encoding tells where the text of one ends: LLVM prints
  // nothing for what it refuses.
  const std::string markerText = "s_nop 0xbee";
  char path[] = "/tmp/hipsim_isa_XXXXXX";
  const int file = mkstemp(path);
  REQUIRE(file >= 0);
  close(file);
  {
    std::ofstream input(path);
    for (const std::vector<uint8_t> &encoding : encodings) {
      input << '[';
      for (uint8_t byte : encoding)
        input << " 0x" << std::hex << unsigned(byte);
      input << " ]\n[0xee 0x0b 0x80 0xbf]\n";
    }
  }
  std::istringstream lines(commandOutput(std::string(HIPSIM_MC) + " -disassemble -triple=amdgcn -mcpu=" +
                                         archName(arch) + " " + path + " 2>/dev/null"));
  std::filesystem::remove(path);
  std::vector<std::string> result;
  std::string current;
  for (std::string line; std::getline(lines, line);) {
    const std::string text = normalise(line);
    if (text == markerText) {
      result.push_back(current);
      current.clear();
    } else if (!text.empty() && text[0] != '.') {
      current += (current.empty() ? "" : " | ") + text;
    }
  }
  REQUIRE(result.size() == encodings.size());
  return result;
}

std::vector<uint8_t> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  INFO("cannot open " << path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string kernelPath(const std::string &name, Arch arch, unsigned level) {
  return std::string(HIPSIM_KERNELS) + "/" + name + "." + archName(arch) + ".O" +
         std::to_string(level) + ".hsaco";
}

} // namespace hipsim::test
