// Expected trouble as a value.
//
// Three kinds of trouble, three tools:
//   - what is expected (bad input, a full disk, a peer that refuses) is returned as a Result;
//   - a bug is a QUADRILLE_CHECK;
//   - a fault of the storage below us (I/O error, damaged page) is thrown as a StorageError from deep inside and
//     becomes a Result at the door of the room that owns the operation (catch_storage_error).
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "engine/base/check.h"

namespace quadrille::base {

enum class ErrorKind : uint8_t {
  InvalidInput,       // malformed data, query, configuration or message
  NotFound,           // what was named is not there
  Refused,            // well-formed, but not allowed here and now (read-only graph, two values for one cell)
  Mismatch,           // two parties that do not fit: other cluster, assignment, format or protocol version
  Busy,               // somebody else holds it: a second process on one store, a port in use
  Unavailable,        // the other side cannot be reached, or is shutting down
  Timeout,            // a deadline passed
  ResourceExhausted,  // disk full, a limit of memory, size or depth reached
  Unsupported,        // valid, but not offered by this version
  Corruption,         // what was stored is not what was written; the writer stops
  IoFailure,          // the operating system said no
};

// Where in a text the trouble is. Both count from 1; columns count Unicode code points.
struct Position {
  uint64_t line = 0;
  uint64_t column = 0;
};

// One line that says what, where, and what was expected instead. No trailing full stop, no line break.
struct Error {
  ErrorKind kind = ErrorKind::InvalidInput;
  std::string message;
  std::optional<Position> position;
};

// Thrown by storage code when the medium fails; carries file, table and key in its message.
class StorageError : public std::exception {
 public:
  explicit StorageError(Error error) : error_(std::move(error)) {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

// Either a T or an Error. Asking for the wrong one is a bug.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& value() & {
    check_ok();
    return std::get<0>(content_);
  }
  const T& value() const& {
    check_ok();
    return std::get<0>(content_);
  }
  T&& value() && {
    check_ok();
    return std::get<0>(std::move(content_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    QUADRILLE_CHECK(!ok(), "asked a successful Result for its error");
    return std::get<1>(content_);
  }
  Error&& error() && {
    QUADRILLE_CHECK(!ok(), "asked a successful Result for its error");
    return std::get<1>(std::move(content_));
  }

 private:
  void check_ok() const {
    if (!ok()) fail_check("result.ok()", std::get<1>(content_).message.c_str(), __FILE__, __LINE__);
  }
  std::variant<T, Error> content_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return ok(); }
  const Error& error() const& {
    QUADRILLE_CHECK(error_, "asked a successful Result for its error");
    return *error_;
  }
  Error&& error() && {
    QUADRILLE_CHECK(error_, "asked a successful Result for its error");
    return *std::move(error_);
  }

 private:
  std::optional<Error> error_;
};

// Runs `work`, which returns a Result, and turns a StorageError that it throws into that Result's error.
template <class Work>
auto catch_storage_error(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const StorageError& failure) {
    return failure.error();
  }
}

}  // namespace quadrille::base

#define QUADRILLE_CONCAT_INNER(a, b) a##b
#define QUADRILLE_CONCAT(a, b) QUADRILLE_CONCAT_INNER(a, b)

// QUADRILLE_TRY(expression): leaves the function with the error, if there is one.
#define QUADRILLE_TRY(expression)                                                                                 \
  do {                                                                                                            \
    if (auto quadrille_result = (expression); !quadrille_result.ok()) return std::move(quadrille_result).error(); \
  } while (false)

// QUADRILLE_ASSIGN(auto x, expression): x is the value, or the function is left with the error.
#define QUADRILLE_ASSIGN(target, expression) \
  QUADRILLE_ASSIGN_INNER(target, expression, QUADRILLE_CONCAT(quadrille_result_, __LINE__))
#define QUADRILLE_ASSIGN_INNER(target, expression, result) \
  auto result = (expression);                              \
  if (!result.ok()) return std::move(result).error();      \
  target = std::move(result).value()
