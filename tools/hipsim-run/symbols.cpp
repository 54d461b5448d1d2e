// Reading .symtab of a code object; see symbols.h.
//
// The loader has no use for functions, so that they are read here. Every offset
// is checked against the file; what does not fit is no symbol.
#include "tools/hipsim-run/symbols.h"

#include "tools/hipsim-run/arguments.h"

#include <fmt/format.h>

#include <cstring>

namespace moec::hipsimrun {
namespace {

/// A value at `offset` of the file; zero beyond its end.
template <class T> T at(const std::string &file, uint64_t offset) {
  T value = 0;
  if (offset <= file.size() && sizeof(T) <= file.size() - offset)
    std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

struct Symbol {
  std::string name;
  uint64_t address;
};

constexpr uint32_t symbolTable = 2; // SHT_SYMTAB
constexpr uint8_t functionSymbol = 2; // STT_FUNC
constexpr uint64_t symbolBytes = 24, sectionBytes = 64;

std::vector<Symbol> functionsOf(const std::string &file) {
  std::vector<Symbol> out;
  uint64_t sections = at<uint64_t>(file, 40);
  uint16_t count = at<uint16_t>(file, 60);
  for (uint16_t i = 0; i < count; ++i) {
    uint64_t section = sections + i * sectionBytes;
    if (at<uint32_t>(file, section + 4) != symbolTable)
      continue;
    uint64_t begin = at<uint64_t>(file, section + 24), bytes = at<uint64_t>(file, section + 32);
    uint64_t names = at<uint64_t>(file, sections + at<uint32_t>(file, section + 40) * sectionBytes + 24);
    for (uint64_t s = begin; s < file.size() && s - begin < bytes; s += symbolBytes) {
      if ((at<uint8_t>(file, s + 4) & 15) != functionSymbol)
        continue;
      uint64_t name = names + at<uint32_t>(file, s);
      if (name < file.size())
        out.push_back({file.c_str() + name, at<uint64_t>(file, s + 8)});
    }
  }
  return out;
}

} // namespace

Expected<uint64_t> findPlace(const std::string &text, const hipsim::CodeObject &object,
                             const std::string &file) {
  const std::string what = "--break " + text;
  auto inside = [&](uint64_t offset) -> Expected<uint64_t> {
    if (offset >= object.textSize || offset % 4)
      return Status(ErrorCode::Usage,
                    fmt::format("{}: 0x{:x} is no place in .text, which has 0x{:x} bytes", what,
                                offset, object.textSize));
    return offset;
  };
  if (text.rfind("0x", 0) == 0) {
    Expected<uint64_t> offset = parseCount(text, ~0ull, what);
    return offset ? inside(*offset) : offset;
  }
  std::vector<std::string> parts = split(text, '+', 2);
  uint64_t more = 0;
  if (parts.size() > 1) {
    Expected<uint64_t> offset = parseCount(parts[1], object.textSize, what);
    if (!offset)
      return offset;
    more = *offset;
  }
  std::vector<std::string> known;
  for (const hipsim::KernelDescriptor &kernel : object.kernels) {
    if (kernel.name == parts[0])
      return inside(kernel.entry + more);
    known.push_back(kernel.name);
  }
  for (const Symbol &symbol : functionsOf(file)) {
    if (symbol.name == parts[0])
      return inside(symbol.address - object.textVaddr + more);
    known.push_back(symbol.name);
  }
  return Status(ErrorCode::Usage,
                fmt::format("{}: unknown symbol{}; known: {}; or give an offset in .text, 0x40",
                            what, tool::suggestion(parts[0], known), tool::join(known, ", ")));
}

bool isOtherProcessor(const std::string &file) {
  constexpr uint16_t amdGpu = 224;
  constexpr uint8_t gfx942 = 0x4c, gfx950 = 0x4f;
  uint8_t machine = at<uint8_t>(file, 48);
  return file.rfind("\177ELF", 0) == 0 && at<uint16_t>(file, 18) == amdGpu && machine != gfx942 &&
         machine != gfx950;
}

} // namespace moec::hipsimrun
