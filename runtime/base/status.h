// The one error type of the runtime and of the tools.
//
// A Status is success or a code with a message that says what, where, expected
// and found, and what to do next. Expected<T> is a value or such an error.
// Neither throws; nothing below the C API prints.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace moec {

/// What kind of failure; the numbers are the exit codes of the tools and part
/// of the C API (moec.h).
enum class ErrorCode : int {
  Ok = 0,
  Content = 1,      ///< Input is malformed, damaged, or failed a check.
  Usage = 2,        ///< Bad argument, unknown name of a target, format, problem.
  File = 3,         ///< A file cannot be opened, read or written.
  Unsupported = 4,  ///< Valid, but not supported (on this target).
  NotPrepared = 5,  ///< A launch needs something that was not prepared.
  Device = 6,       ///< The device or its driver reported an error.
  Worker = 7,       ///< The compiler worker died, timed out or is missing.
  Internal = 70,    ///< A bug of ours.
};

/// Success, or an error that must be looked at.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(ErrorCode code, std::string message)
      : errorCode(code), text(std::move(message)) {}
  bool ok() const { return errorCode == ErrorCode::Ok; }
  ErrorCode code() const { return errorCode; }
  const std::string &message() const { return text; }
  /// The same error with "<where>: " before its message.
  Status withContext(const std::string &where) const {
    return ok() ? *this : Status(errorCode, where + ": " + text);
  }

private:
  ErrorCode errorCode = ErrorCode::Ok;
  std::string text;
};

/// A value of type T or the error that prevented it.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : stored(std::move(value)) {}
  Expected(Status status) : error(std::move(status)) { assert(!error.ok()); }
  explicit operator bool() const { return stored.has_value(); }
  T &operator*() { return *stored; }
  const T &operator*() const { return *stored; }
  T *operator->() { return &*stored; }
  const T *operator->() const { return &*stored; }
  const Status &status() const { return error; }
  T take() { return std::move(*stored); }

private:
  std::optional<T> stored;
  Status error;
};

} // namespace moec
