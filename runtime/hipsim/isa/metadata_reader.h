// Reads MessagePack, the encoding of a code object's metadata, into a tree.
//
// Own and small because the input is hostile: every length is checked against
// the bytes that are left, nesting is limited, and a declared count never
// allocates more than the bytes could hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hipsim {

struct MetadataValue {
  enum class Kind : uint8_t { Nil, Boolean, Integer, Float, String, Array, Map };

  Kind kind = Kind::Nil;
  int64_t integer = 0; ///< Boolean and Integer; unsigned values keep their bits.
  std::string string;  ///< String and binary.
  std::vector<MetadataValue> items;  ///< Array: the items. Map: the values.
  std::vector<std::string> keys;     ///< Map: as many as items.

  /// The value of a key of a map; null when absent or not a map.
  const MetadataValue *find(const char *key) const;
};

/// Reads one value at `bytes`; trailing bytes are ignored (notes are padded).
/// False: `error` says what is wrong and at which byte.
bool readMetadata(const uint8_t *bytes, size_t size, MetadataValue &out,
                  std::string &error);

} // namespace hipsim
