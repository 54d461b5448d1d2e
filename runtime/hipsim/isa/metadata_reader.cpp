// The MessagePack reader behind metadata_reader.h.
#include "runtime/hipsim/isa/metadata_reader.h"

namespace hipsim {

const MetadataValue *MetadataValue::find(const char *key) const {
  for (size_t i = 0; i < keys.size(); ++i)
    if (keys[i] == key)
      return &items[i];
  return nullptr;
}

namespace {

constexpr unsigned maxDepth = 16; // The metadata nests five deep.

class Reader {
public:
  Reader(const uint8_t *bytes, size_t size, std::string &error)
      : bytes(bytes), size(size), error(error) {}

  bool value(MetadataValue &out, unsigned depth) {
    if (depth > maxDepth)
      return fail("values nested deeper than 16");
    uint64_t tag = 0;
    if (!unsignedInteger(1, tag))
      return false;
    if (tag <= 0x7f || tag >= 0xe0)
      return integer(out, int8_t(tag));
    if (tag <= 0x8f)
      return map(out, tag & 0xf, depth);
    if (tag <= 0x9f)
      return array(out, tag & 0xf, depth);
    if (tag <= 0xbf)
      return string(out, tag & 0x1f);
    return tagged(unsigned(tag), out, depth);
  }

private:
  const uint8_t *bytes;
  size_t size;
  size_t position = 0;
  std::string &error;

  size_t left() const { return size - position; }

  bool fail(const std::string &what) {
    error = what + " at byte " + std::to_string(position);
    return false;
  }

  bool unsignedInteger(unsigned count, uint64_t &out) {
    if (left() < count)
      return fail("the data ends, expected " + std::to_string(count) + " more bytes");
    out = 0;
    for (unsigned i = 0; i < count; ++i) // Big-endian.
      out = out << 8 | bytes[position++];
    return true;
  }

  bool integer(MetadataValue &out, int64_t value) {
    out.kind = MetadataValue::Kind::Integer;
    out.integer = value;
    return true;
  }

  bool string(MetadataValue &out, uint64_t length) {
    if (length > left())
      return fail("a string of " + std::to_string(length) + " bytes passes the end");
    out.kind = MetadataValue::Kind::String;
    out.string.assign(reinterpret_cast<const char *>(bytes + position), size_t(length));
    position += size_t(length);
    return true;
  }

  bool array(MetadataValue &out, uint64_t count, unsigned depth) {
    if (count > left()) // An item takes at least one byte.
      return fail("an array of " + std::to_string(count) + " items passes the end");
    out.kind = MetadataValue::Kind::Array;
    for (uint64_t i = 0; i < count; ++i)
      if (!value(out.items.emplace_back(), depth + 1))
        return false;
    return true;
  }

  bool map(MetadataValue &out, uint64_t count, unsigned depth) {
    if (count > left() / 2)
      return fail("a map of " + std::to_string(count) + " entries passes the end");
    out.kind = MetadataValue::Kind::Map;
    for (uint64_t i = 0; i < count; ++i) {
      MetadataValue key;
      if (!value(key, depth + 1))
        return false;
      if (key.kind != MetadataValue::Kind::String)
        return fail("a map key that is not a string");
      out.keys.push_back(std::move(key.string));
      if (!value(out.items.emplace_back(), depth + 1))
        return false;
    }
    return true;
  }

  bool skip(uint64_t count, MetadataValue &out, MetadataValue::Kind kind) {
    if (count > left())
      return fail("a value of " + std::to_string(count) + " bytes passes the end");
    position += size_t(count);
    out.kind = kind;
    return true;
  }

  /// Values whose first byte only names the type.
  bool tagged(unsigned tag, MetadataValue &out, unsigned depth) {
    uint64_t number = 0;
    switch (tag) {
    case 0xc0:
      return true;
    case 0xc2:
    case 0xc3:
      out.kind = MetadataValue::Kind::Boolean;
      out.integer = tag & 1;
      return true;
    case 0xc4: case 0xc5: case 0xc6: // bin 8, 16, 32
      return unsignedInteger(1u << (tag - 0xc4), number) && string(out, number);
    case 0xca: case 0xcb: // float 32, 64: the metadata has none that matter.
      return skip(tag == 0xca ? 4 : 8, out, MetadataValue::Kind::Float);
    case 0xcc: case 0xcd: case 0xce: case 0xcf: // uint 8 .. 64
      return unsignedInteger(1u << (tag - 0xcc), number) && integer(out, int64_t(number));
    case 0xd0: case 0xd1: case 0xd2: case 0xd3: { // int 8 .. 64
      const unsigned count = 1u << (tag - 0xd0);
      if (!unsignedInteger(count, number))
        return false;
      const unsigned unused = 64 - 8 * count;
      return integer(out, int64_t(number << unused) >> unused);
    }
    case 0xd9: case 0xda: case 0xdb: // str 8, 16, 32
      return unsignedInteger(1u << (tag - 0xd9), number) && string(out, number);
    case 0xdc: case 0xdd: // array 16, 32
      return unsignedInteger(tag == 0xdc ? 2 : 4, number) && array(out, number, depth);
    case 0xde: case 0xdf: // map 16, 32
      return unsignedInteger(tag == 0xde ? 2 : 4, number) && map(out, number, depth);
    default:
      return fail("type byte " + std::to_string(tag) + " is not used by metadata");
    }
  }
};

} // namespace

bool readMetadata(const uint8_t *bytes, size_t size, MetadataValue &out,
                  std::string &error) {
  out = MetadataValue();
  return Reader(bytes, size, error).value(out, 0);
}

} // namespace hipsim
