// Kernel arguments from the command line: values, and buffers with their
// contents. Nothing here knows of a device.
#pragma once

#include "runtime/base/status.h"
#include "tools/moec/terminal.h"

#include <cstdint>
#include <string>
#include <vector>

namespace moec::hipsimrun {

/// A scalar type by its name on the command line.
struct ScalarType {
  enum class Kind { Signed, Unsigned, Float } kind;
  const char *name;
  uint32_t bytes;
  const char *what;
};

const std::vector<ScalarType> &scalarTypes();
Expected<const ScalarType *> findScalarType(const std::string &name);

/// An argument: bytes of a value, or a buffer whose address is passed.
struct Argument {
  enum class Kind { Value, Null, Buffer, Poison, SameAs } kind = Kind::Value;
  std::string spec;
  std::string bytes;     ///< The value, or the buffer's content.
  uint64_t poisoned = 0; ///< Bytes of a buffer that is not initialised.
  uint64_t sameAs = 0;   ///< Argument whose buffer it is.
  uint64_t bufferBytes() const {
    return kind == Kind::Poison ? poisoned : kind == Kind::Buffer ? bytes.size() : 0;
  }
};

/// `index` is the argument's own number.
Expected<Argument> parseArgument(const std::string &spec, uint64_t index);

/// One line a form of SPEC, for --help.
std::string argumentForms();

/// Value `index` of a buffer of `type`, for people and as JSON. Numbers that
/// JSON lacks (inf, nan) become strings.
tool::OrderedJson element(const ScalarType &type, const std::string &bytes, uint64_t index);

/// A number, decimal or 0x, up to `limit`; the message names `what`.
Expected<uint64_t> parseCount(const std::string &text, uint64_t limit, const std::string &what);

std::vector<std::string> split(const std::string &text, char separator, size_t parts = ~size_t(0));

} // namespace moec::hipsimrun
