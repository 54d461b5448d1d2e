// XXH3-128: the checksum of files and the key of contents.
#include "runtime/bundle/format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace moec {

std::string contentHash(std::string_view bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  std::string text;
  for (unsigned char byte : canonical.digest) {
    text.push_back("0123456789abcdef"[byte >> 4]);
    text.push_back("0123456789abcdef"[byte & 15]);
  }
  return text;
}

void format::checksum(std::span<const uint8_t> file,
                      uint8_t out[checksumBytes]) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, file.data(), checksumOffset);
  size_t rest = checksumOffset + checksumBytes;
  XXH3_128bits_update(&state, file.data() + rest, file.size() - rest);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
  static_assert(sizeof canonical.digest == checksumBytes);
  std::memcpy(out, canonical.digest, checksumBytes);
}

} // namespace moec
