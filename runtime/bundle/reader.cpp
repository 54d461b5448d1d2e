// Bytes and files to bundles; the grammar stands in format.h.
//
// Input is hostile until proven otherwise: lengths are compared with what is
// there before they are used, and memory is bounded by limits of ours.
#include "runtime/base/file.h"
#include "runtime/bundle/format.h"
#include "runtime/bundle/verify.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

namespace moec {
namespace {

using Bytes = std::span<const uint8_t>;

Status contentError(const std::string &name, const std::string &message) {
  return {ErrorCode::Content, fmt::format("{}: {}", name, message)};
}

uint64_t getInt(Bytes file, size_t offset, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value |= uint64_t(file[offset + i]) << (8 * i);
  return value;
}

/// The fixed part of the header, in the order in which it is checked.
struct Header {
  uint64_t headerBytes = 0, indexBytes = 0, indexRawBytes = 0;
  uint64_t producerBytes = 0, targetBytes = 0;
};

Status checkMagicAndVersion(Bytes file, const std::string &name) {
  size_t present = std::min<size_t>(file.size(), 8);
  if (file.empty() || std::memcmp(file.data(), format::magic, present) != 0)
    return contentError(
        name, "not a moec bundle: it does not begin with \"MOECBNDL\"; make one "
              "with `moec compile -o FILE`");
  if (file.size() < format::fixedBytes)
    return contentError(
        name, fmt::format("truncated: the header has {} bytes, found {}",
                          format::fixedBytes, file.size()));
  uint64_t version = getInt(file, 8, 4);
  if (version == 0 || version > format::version)
    return contentError(
        name, fmt::format("bundle format version {}, this library reads versions "
                          "1 to {}; compile the bundle again or use a newer moec",
                          version, format::version));
  return {};
}

Status checkWhole(Bytes file, const std::string &name) {
  uint64_t fileBytes = getInt(file, 16, 8);
  if (file.size() < fileBytes)
    return contentError(name, fmt::format("truncated: expected {} bytes, found {}",
                                          fileBytes, file.size()));
  if (file.size() > fileBytes)
    return contentError(
        name, fmt::format("altered: expected {} bytes, found {}", fileBytes,
                          file.size()));
  uint8_t sum[format::checksumBytes];
  format::checksum(file, sum);
  if (std::memcmp(sum, file.data() + format::checksumOffset, sizeof sum) != 0)
    return contentError(name, "altered: its checksum does not match its content; "
                              "copy or compile it again");
  return {};
}

Expected<Header> readHeader(Bytes file, const std::string &name) {
  Header header;
  header.headerBytes = getInt(file, 12, 4);
  header.indexBytes = getInt(file, 40, 8);
  header.indexRawBytes = getInt(file, 48, 8);
  header.producerBytes = getInt(file, 56, 4);
  header.targetBytes = getInt(file, 60, 4);
  bool good =
      header.headerBytes >= format::fixedBytes &&
      header.headerBytes <= file.size() &&
      header.producerBytes + header.targetBytes <=
          header.headerBytes - format::fixedBytes &&
      header.indexBytes <= file.size() - header.headerBytes &&
      header.indexRawBytes <= format::maxIndexBytes;
  if (!good)
    return contentError(name, "malformed header: its lengths do not fit the file");
  return header;
}

/// Decompresses one zstd frame whose size must be exactly `rawBytes`.
bool decompress(Bytes packed, uint64_t rawBytes, std::string &out) {
  // Checked first: the frame's own claim must agree before memory is taken.
  if (ZSTD_getFrameContentSize(packed.data(), packed.size()) != rawBytes)
    return false;
  out.resize(rawBytes);
  size_t got =
      ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  return !ZSTD_isError(got) && got == rawBytes;
}

Status readCode(Bytes area, const std::vector<format::Blob> &blobs,
                Bundle &bundle, const std::string &name) {
  uint64_t total = 0;
  for (size_t i = 0; i < blobs.size(); ++i) {
    const format::Blob &blob = blobs[i];
    if (blob.offset > area.size() || blob.bytes > area.size() - blob.offset)
      return contentError(
          name, fmt::format("code[{}] is outside of the file: offset {}, {} bytes, "
                            "of {}",
                            i, blob.offset, blob.bytes, area.size()));
    if (blob.rawBytes > format::maxCodeBytes ||
        (total += blob.rawBytes) > format::maxTotalCodeBytes)
      return contentError(name, fmt::format("code[{}] of {} bytes is too large", i,
                                            blob.rawBytes));
    Code code{blob.hash, {}};
    if (!decompress(area.subspan(blob.offset, blob.bytes), blob.rawBytes,
                    code.bytes))
      return contentError(name, fmt::format("code[{}] does not decompress", i));
    if (contentHash(code.bytes) != code.hash)
      return contentError(
          name, fmt::format("code[{}] has the hash {}, expected {}", i,
                            contentHash(code.bytes), code.hash));
    bundle.code.push_back(std::move(code));
  }
  return {};
}

} // namespace

Expected<Bundle> readBundle(Bytes file, const std::string &name) {
  if (Status status = checkMagicAndVersion(file, name); !status.ok())
    return status;
  if (Status status = checkWhole(file, name); !status.ok())
    return status;
  Expected<Header> header = readHeader(file, name);
  if (!header)
    return header.status();

  Bundle bundle;
  auto text = [&](uint64_t offset, uint64_t size) {
    return std::string(reinterpret_cast<const char *>(file.data()) + offset, size);
  };
  bundle.producer = text(format::fixedBytes, header->producerBytes);
  bundle.target =
      text(format::fixedBytes + header->producerBytes, header->targetBytes);

  std::string json;
  if (!decompress(file.subspan(header->headerBytes, header->indexBytes),
                  header->indexRawBytes, json))
    return contentError(name, "the index does not decompress");
  std::vector<format::Blob> blobs;
  if (Status status = format::indexFromJson(json, bundle, blobs); !status.ok())
    return status.withContext(name);
  Bytes area = file.subspan(header->headerBytes + header->indexBytes);
  if (Status status = readCode(area, blobs, bundle, name); !status.ok())
    return status;
  if (Status status = verifyBundle(bundle, name); !status.ok())
    return status;
  return bundle;
}

Expected<Bundle> readBundleFile(const std::string &path) {
  Expected<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.status();
  return readBundle({reinterpret_cast<const uint8_t *>(bytes->data()),
                     bytes->size()},
                    path);
}

} // namespace moec
