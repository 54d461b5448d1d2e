// Frames between the runtime and its compiler worker, over a pair of pipes.
//
//   request  u32 size, then `size` bytes of JSON (moec/compiler.h)
//   reply    u32 meta size, u32 status, u64 data size, meta JSON, data
//
// Integers are little endian. Both sides use these functions: `moec worker`
// serves with readRequest and writeReply, libmoec asks with the other two.
// A peer that is gone, late or talks nonsense is a Status, never a signal or
// a wait without bound.
#pragma once

#include "runtime/base/status.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace moec {

/// Longest request and reply metadata, and longest reply data, in bytes.
inline constexpr uint32_t maxWorkerText = 64u << 20;
inline constexpr uint64_t maxWorkerData = 1ull << 30;

struct WorkerReply {
  uint32_t status = 0; ///< 0 or an exit code of the tools.
  std::string meta;    ///< JSON.
  std::string data;
};

/// When to give up; nothing: wait as long as the peer lives.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Serving side. Nothing in the Expected: the peer closed between requests.
Expected<std::optional<std::string>> readRequest(int fd, Deadline deadline = {});
Status writeReply(int fd, const WorkerReply &reply, Deadline deadline = {});

/// Asking side.
Status writeRequest(int fd, std::string_view json, Deadline deadline = {});
Expected<WorkerReply> readReply(int fd, Deadline deadline = {});

} // namespace moec
