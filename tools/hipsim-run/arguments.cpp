// Parsing of --arg; see arguments.h.
#include "tools/hipsim-run/arguments.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace moec::hipsimrun {
namespace {

using Kind = ScalarType::Kind;
constexpr uint64_t maxBufferBytes = 1ull << 36;

Status usage(const std::string &spec, const std::string &message) {
  return Status(ErrorCode::Usage, "--arg " + spec + ": " + message);
}

template <class T> void append(std::string &bytes, T value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

/// Round to nearest even; a NaN stays one.
uint16_t bfloatOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (value != value)
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void appendFloat(std::string &bytes, const ScalarType &type, double value) {
  if (type.bytes == 8)
    append(bytes, value);
  else if (type.bytes == 4)
    append(bytes, float(value));
  else if (std::strcmp(type.name, "bf16") == 0)
    append(bytes, bfloatOf(float(value)));
  else
    append(bytes, _Float16(value));
}

Status appendText(std::string &bytes, const ScalarType &type,
                  const std::string &spec, const std::string &text) {
  const char *begin = text.c_str();
  char *end = nullptr;
  errno = 0;
  if (type.kind == Kind::Float) {
    double value = std::strtod(begin, &end);
    if (text.empty() || *end)
      return usage(spec, fmt::format("expected a number, found '{}'", text));
    appendFloat(bytes, type, value);
    return {};
  }
  bool negative = !text.empty() && text[0] == '-';
  uint64_t value = negative ? uint64_t(std::strtoll(begin, &end, 0))
                            : std::strtoull(begin, &end, 0);
  if (text.empty() || *end)
    return usage(spec, fmt::format("expected a whole number, found '{}'", text));
  // Both readings of a pattern are legal: i8:255 and i8:-1 are the same byte.
  uint32_t bits = type.bytes * 8;
  bool fits = !errno && (negative ? type.kind == Kind::Signed &&
                                        (bits == 64 || int64_t(value) >= -(int64_t(1) << (bits - 1)))
                                  : bits == 64 || value >> bits == 0);
  if (!fits)
    return usage(spec, fmt::format("{} does not fit in {}", text, type.what));
  bytes.append(reinterpret_cast<const char *>(&value), type.bytes);
  return {};
}

/// Value `index` of a stream of random numbers; the same everywhere.
uint64_t randomAt(uint64_t seed, uint64_t index) {
  uint64_t z = (seed + 1) * 0xd1342543de82ef95ull + index * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

/// ptr:random:BYTES[:SEED] and ptr:random:TYPE:COUNT[:SEED].
Status randomBuffer(Argument &out, std::vector<std::string> parts) {
  const ScalarType *type = nullptr;
  if (Expected<const ScalarType *> named = findScalarType(parts[0])) {
    type = *named;
    parts.erase(parts.begin());
  }
  if (parts.empty() || parts.size() > 2)
    return usage(out.spec, "expected ptr:random:BYTES[:SEED] or ptr:random:TYPE:COUNT[:SEED]");
  Expected<uint64_t> count = parseCount(parts[0], maxBufferBytes / 8, "--arg " + out.spec);
  Expected<uint64_t> seed = parts.size() > 1 ? parseCount(parts[1], ~0ull, "--arg " + out.spec)
                                             : Expected<uint64_t>(uint64_t(0));
  if (!count)
    return count.status();
  if (!seed)
    return seed.status();
  for (uint64_t i = 0; i < *count; ++i) {
    uint64_t bits = randomAt(*seed, i);
    if (type && type->kind == Kind::Float)
      appendFloat(out.bytes, *type, double(int64_t(bits) >> 11) * 0x1p-52);
    else
      out.bytes.append(reinterpret_cast<const char *>(&bits), type ? type->bytes : 1);
  }
  return {};
}

/// ptr:iota:TYPE:COUNT and ptr:fill:TYPE:COUNT:VALUE.
Status typedBuffer(Argument &out, const std::string &form, const std::vector<std::string> &parts) {
  bool iota = form == "iota";
  if (parts.size() != (iota ? 2 : 3))
    return usage(out.spec, iota ? "expected ptr:iota:TYPE:COUNT" : "expected ptr:fill:TYPE:COUNT:VALUE");
  Expected<const ScalarType *> type = findScalarType(parts[0]);
  if (!type)
    return type.status().withContext("--arg " + out.spec);
  Expected<uint64_t> count = parseCount(parts[1], maxBufferBytes / 8, "--arg " + out.spec);
  if (!count)
    return count.status();
  std::string one;
  if (!iota)
    if (Status status = appendText(one, **type, out.spec, parts[2]); !status.ok())
      return status;
  for (uint64_t i = 0; i < *count; ++i) {
    if (!iota)
      out.bytes += one;
    else if ((*type)->kind == Kind::Float)
      appendFloat(out.bytes, **type, double(i));
    else
      out.bytes.append(reinterpret_cast<const char *>(&i), (*type)->bytes);
  }
  return {};
}

Status hexValue(Argument &out, const std::string &digits) {
  if (digits.empty() || digits.size() % 2 ||
      digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    return usage(out.spec, "expected pairs of hexadecimal digits, lowest address first");
  for (size_t i = 0; i < digits.size(); i += 2)
    out.bytes += char(std::stoi(digits.substr(i, 2), nullptr, 16));
  return {};
}

Status parseBuffer(Argument &out, uint64_t index) {
  std::vector<std::string> parts = split(out.spec, ':');
  std::string form = parts.size() > 1 ? parts[1] : "";
  std::vector<std::string> rest(parts.begin() + std::min<size_t>(2, parts.size()), parts.end());
  out.kind = Argument::Kind::Buffer;
  if (form == "null" && rest.empty()) {
    out.kind = Argument::Kind::Null;
    return {};
  }
  if (form == "file") {
    std::string path = split(out.spec, ':', 3).back(); // It may have colons.
    Expected<std::string> content = tool::readInput(path);
    if (!content)
      return content.status();
    out.bytes = content.take();
    return {};
  }
  if (!rest.empty() && form == "random")
    return randomBuffer(out, rest);
  if (form == "iota" || form == "fill")
    return typedBuffer(out, form, rest);
  if (rest.size() == 1 && (form == "zeros" || form == "poison" || form == "arg")) {
    Expected<uint64_t> number = parseCount(rest[0], maxBufferBytes, "--arg " + out.spec);
    if (!number)
      return number.status();
    if (form == "zeros") {
      out.bytes.assign(*number, '\0');
    } else if (form == "poison") {
      out.kind = Argument::Kind::Poison;
      out.poisoned = *number;
    } else {
      if (*number >= index)
        return usage(out.spec, "names an argument that does not come before it");
      out.kind = Argument::Kind::SameAs;
      out.sameAs = *number;
    }
    return {};
  }
  return usage(out.spec, "unknown kind of buffer; known: zeros, poison, random, iota, fill, "
                         "file, arg, null (see hipsim-run --help)");
}

} // namespace

const std::vector<ScalarType> &scalarTypes() {
  static const std::vector<ScalarType> types = {
      {Kind::Signed, "i8", 1, "8 bits"},      {Kind::Unsigned, "u8", 1, "8 bits"},
      {Kind::Signed, "i16", 2, "16 bits"},    {Kind::Unsigned, "u16", 2, "16 bits"},
      {Kind::Signed, "i32", 4, "32 bits"},    {Kind::Unsigned, "u32", 4, "32 bits"},
      {Kind::Signed, "i64", 8, "64 bits"},    {Kind::Unsigned, "u64", 8, "64 bits"},
      {Kind::Float, "f16", 2, "a half"},      {Kind::Float, "bf16", 2, "a bfloat"},
      {Kind::Float, "f32", 4, "a float"},     {Kind::Float, "f64", 8, "a double"},
  };
  return types;
}

Expected<const ScalarType *> findScalarType(const std::string &name) {
  std::vector<std::string> known;
  for (const ScalarType &type : scalarTypes()) {
    if (name == type.name)
      return &type;
    known.push_back(type.name);
  }
  return Status(ErrorCode::Usage, fmt::format("unknown type '{}'{}; known: {}", name,
                                              tool::suggestion(name, known),
                                              tool::join(known, ", ")));
}

Expected<Argument> parseArgument(const std::string &spec, uint64_t index) {
  Argument out;
  out.spec = spec;
  std::vector<std::string> parts = split(spec, ':', 2);
  Status status;
  if (parts[0] == "ptr") {
    status = parseBuffer(out, index);
  } else if (parts.size() != 2) {
    status = usage(spec, "expected TYPE:VALUE, hex:DIGITS or ptr:..., as in i32:5 or ptr:zeros:1024");
  } else if (parts[0] == "hex") {
    status = hexValue(out, parts[1]);
  } else {
    Expected<const ScalarType *> type = findScalarType(parts[0]);
    status = type ? appendText(out.bytes, **type, spec, parts[1])
                  : type.status().withContext("--arg " + spec);
  }
  if (!status.ok())
    return status;
  return out;
}

std::string argumentForms() {
  std::string names;
  for (const ScalarType &type : scalarTypes())
    names += std::string(names.empty() ? "" : " ") + type.name;
  return R"(Arguments, one --arg each, in the kernel's order:
  i32:5  f32:1.5  u64:0x10    a value; types: )" + names + R"(
  hex:0001feff                a value by its bytes, e.g. a struct
  ptr:zeros:BYTES             a buffer of zeros
  ptr:poison:BYTES            a buffer that nobody has initialised (0xFF bytes)
  ptr:random:BYTES[:SEED]     random bytes
  ptr:random:TYPE:N[:SEED]    N random values; floats from -1 to 1
  ptr:iota:TYPE:N             0, 1, 2, ..
  ptr:fill:TYPE:N:VALUE       N times the same
  ptr:file:PATH               the content of a file
  ptr:arg:N                   the buffer of argument N again
  ptr:null                    a null pointer
)";
}

tool::OrderedJson element(const ScalarType &type, const std::string &bytes, uint64_t index) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * type.bytes, type.bytes);
  if (type.kind == Kind::Unsigned)
    return bits;
  if (type.kind == Kind::Signed) {
    uint32_t unused = 64 - type.bytes * 8;
    return int64_t(bits << unused) >> unused;
  }
  double value;
  float single;
  if (type.bytes == 8) {
    std::memcpy(&value, &bits, 8);
  } else if (type.bytes == 4 || std::strcmp(type.name, "bf16") == 0) {
    uint32_t word = type.bytes == 4 ? uint32_t(bits) : uint32_t(bits) << 16;
    std::memcpy(&single, &word, 4);
    value = single;
  } else {
    _Float16 half;
    std::memcpy(&half, &bits, 2);
    value = double(half);
  }
  if (!std::isfinite(value))
    return fmt::format("{}", value);
  // The shortest text that names the float, not the double it widens to.
  return type.bytes == 8 ? value : std::strtod(fmt::format("{}", float(value)).c_str(), nullptr);
}

Expected<uint64_t> parseCount(const std::string &text, uint64_t limit, const std::string &what) {
  char *end = nullptr;
  errno = 0;
  uint64_t value = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || text[0] == '-' || *end || errno || value > limit)
    return Status(ErrorCode::Usage,
                  fmt::format("{}: expected a number up to {}, found '{}'", what, limit, text));
  return value;
}

std::vector<std::string> split(const std::string &text, char separator, size_t parts) {
  std::vector<std::string> out;
  size_t begin = 0;
  while (out.size() + 1 < parts) {
    size_t end = text.find(separator, begin);
    if (end == std::string::npos)
      break;
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  out.push_back(text.substr(begin));
  return out;
}

} // namespace moec::hipsimrun
