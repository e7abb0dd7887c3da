// Result<T>: a value or an Error, for every library call that can fail.
//
// std::expected is C++23, so this is the small part of it that the project needs. A library call that
// fails returns an Error and leaves it to the caller to print it. An Error is a list of diagnostics: the
// first says what went wrong, and the others belong to it.
#pragma once

#include "diagnostic.h"
#include "rule.h"

#include <cassert>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace assay {

/// What a caller can do about an error, which is also the exit code of the CLI.
enum class ErrorKind {
  Kernel = 1, ///< the kernel is at fault: it does not compile, or it failed while it ran
  Usage = 2,  ///< the request is at fault: a missing file, a wrong binding, an impossible size
};

struct Error {
  ErrorKind kind = ErrorKind::Usage;
  std::vector<Diagnostic> diagnostics; ///< never empty

  /// A usage error without a place in a source file.
  static Error usage(Rule rule, std::string message, std::string hint = {});
  /// An error in a kernel, at a place in its source where one is known.
  static Error kernel(Rule rule, std::string message, SourcePlace where = {}, std::string hint = {});

  const std::string &message() const { return diagnostics.front().message; }
  const std::string &rule() const { return diagnostics.front().rule; }
  bool is(Rule rule) const { return diagnostics.front().rule == std::string_view(rule); }
};

template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T &operator*() & { return std::get<0>(state_); }
  const T &operator*() const & { return std::get<0>(state_); }
  T &&operator*() && { return std::get<0>(std::move(state_)); }
  T *operator->() { return &std::get<0>(state_); }
  const T *operator->() const { return &std::get<0>(state_); }
  const Error &error() const { return std::get<1>(state_); }

private:
  std::variant<T, Error> state_;
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return !error_; }
  const Error &error() const { return *error_; }

private:
  std::optional<Error> error_;
};

} // namespace assay
