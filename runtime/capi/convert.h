// Between the C structs of moec.h and the runtime's types.
//
// Everything a caller hands over is checked here, before the runtime sees it.
#pragma once

#include "runtime/base/problem.h"

#include <moec/moec.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

struct moec_error {
  moec_error_code code;
  std::string message;
};

namespace moec::capi {

/// NULL for success.
moec_error *toError(const Status &status);

/// Runs `body`, which returns a Status; no exception gets past it.
template <class Body> moec_error *guarded(const Body &body) noexcept {
  try {
    return toError(body());
  } catch (const std::exception &e) {
    return toError({ErrorCode::Internal, e.what()});
  } catch (...) {
    return toError({ErrorCode::Internal, "unknown exception"});
  }
}

Status nullArgument(const char *name);

Status checkStruct(const char *type, const void *given, size_t oldest,
                   size_t known);

/// Copies a versioned struct of a caller that may be older or newer. `oldest`
/// is the size that the struct had in its first release.
template <class T>
Status readStruct(const char *type, const T *given, size_t oldest, T &into) {
  if (Status status = checkStruct(type, given, oldest, sizeof(T)); !status.ok())
    return status;
  into = T{};
  std::memcpy(&into, given, std::min(given->struct_size, sizeof(T)));
  return {};
}

Expected<Problem> readProblem(const moec_problem *given);

inline std::string orDefault(const char *text, const char *standard) {
  return text ? text : standard;
}

} // namespace moec::capi
