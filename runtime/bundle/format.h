// The bundle file: constants and the parts that reader and writer share.
//
// All integers are little endian. Nothing in a file is trusted: the reader
// checks magic, version, length and checksum, in this order, before it looks at
// anything else, and every offset, size and index before it follows it.
//
//   file      = header index blob*
//   header    = fixed producer target pad
//   fixed     = magic          8 bytes  "MOECBNDL"
//               version        u32      formatVersion
//               headerBytes    u32      of the whole header, a multiple of 8
//               fileBytes      u64      of the whole file
//               checksum      16 bytes  XXH3-128 (canonical form) of the file
//                                       without these 16 bytes
//               indexBytes     u64      of the index as it stands in the file
//               indexRawBytes  u64      of the index decompressed
//               producerBytes  u32
//               targetBytes    u32
//   producer  = build id of the compiler that wrote it
//   target    = target id, e.g. "gfx942"
//   pad       = zero bytes up to headerBytes
//   index     = one zstd frame: a JSON object {"code", "kernels", "plans",
//               "texts"} whose fields are named as in bundle.h (index.cpp
//               lists them); each element of "code" is {"hash", "offset",
//               "bytes", "rawBytes"}: where its blob stands, counted from the
//               end of the index
//   blob      = one zstd frame: a code object
//
// Version history (a reader reads its own version and all older ones):
//   1  first
#pragma once

#include "runtime/bundle/bundle.h"

#include <cstddef>

namespace moec::format {

inline constexpr char magic[9] = "MOECBNDL";
inline constexpr uint32_t version = 1;
inline constexpr size_t checksumOffset = 24, checksumBytes = 16;
inline constexpr size_t fixedBytes = 64;
/// Sanity limits on what a file may make the reader allocate.
inline constexpr uint64_t maxIndexBytes = 256ull << 20;
inline constexpr uint64_t maxCodeBytes = 256ull << 20;
inline constexpr uint64_t maxTotalCodeBytes = 2048ull << 20;

/// Where one code object stands behind the index.
struct Blob {
  std::string hash;
  uint64_t offset = 0, bytes = 0, rawBytes = 0;
};

/// The checksum of a file image, skipping the checksum field itself.
void checksum(std::span<const uint8_t> file, uint8_t out[checksumBytes]);

/// The index as JSON text; `blobs` describe bundle.code in order.
std::string indexToJson(const Bundle &bundle, const std::vector<Blob> &blobs);

/// The opposite. Fills kernels, plans and texts of `bundle`, and `blobs`. The
/// message names the first wrong field, e.g. "kernels[3].args[0].size".
Status indexFromJson(std::string_view json, Bundle &bundle,
                     std::vector<Blob> &blobs);

} // namespace moec::format
