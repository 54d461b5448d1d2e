// Bundles to bytes and to files; the grammar stands in format.h.
#include "runtime/base/file.h"
#include "runtime/bundle/format.h"

#include <zstd.h>

#include <cstring>

namespace moec {

// Fixed, so that equal bundles give equal bytes.
static constexpr int compressionLevel = 9;

static std::string compress(std::string_view raw) {
  std::string out(ZSTD_compressBound(raw.size()), '\0');
  size_t size = ZSTD_compress(out.data(), out.size(), raw.data(), raw.size(),
                              compressionLevel);
  // Fails only for lack of memory, the destination is large enough.
  if (ZSTD_isError(size))
    throw std::bad_alloc();
  out.resize(size);
  return out;
}

static void put(std::string &out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out.push_back(static_cast<char>(value >> (8 * i)));
}

std::string writeBundle(const Bundle &bundle) {
  std::string blobs;
  std::vector<format::Blob> table;
  for (const Code &code : bundle.code) {
    std::string packed = compress(code.bytes);
    table.push_back({code.hash, blobs.size(), packed.size(), code.bytes.size()});
    blobs += packed;
  }
  std::string json = format::indexToJson(bundle, table);
  std::string index = compress(json);

  size_t names = bundle.producer.size() + bundle.target.size();
  size_t headerBytes = (format::fixedBytes + names + 7) / 8 * 8;
  std::string file(format::magic, 8);
  put(file, format::version, 4);
  put(file, headerBytes, 4);
  put(file, headerBytes + index.size() + blobs.size(), 8);
  file.append(format::checksumBytes, '\0');
  put(file, index.size(), 8);
  put(file, json.size(), 8);
  put(file, bundle.producer.size(), 4);
  put(file, bundle.target.size(), 4);
  file += bundle.producer;
  file += bundle.target;
  file.resize(headerBytes, '\0');
  file += index;
  file += blobs;

  uint8_t sum[format::checksumBytes];
  format::checksum({reinterpret_cast<const uint8_t *>(file.data()), file.size()},
                   sum);
  std::memcpy(file.data() + format::checksumOffset, sum, sizeof sum);
  return file;
}

Status writeBundleFile(const Bundle &bundle, const std::string &path) {
  return writeFileAtomically(path, writeBundle(bundle));
}

} // namespace moec
