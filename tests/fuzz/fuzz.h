// What the fuzzers share. Each parser has one function, tryInput, that gives it any bytes and then asks for a
// property. A property that does not hold ends the program, as a finding of a sanitizer does.
#pragma once

#include "support/text/result.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace assay::fuzz {

/// Makes a function part of the program that it is linked into (program.cpp).
struct Parser {
  using Function = int(const uint8_t *data, size_t size);
  Parser(std::string_view name, Function *function);
};

/// What LLVMFuzzerTestOneInput returns if the input names none; libFuzzer does not keep such an input.
inline constexpr int kNoParser = -1;

inline void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "property: %s\n", what);
  std::abort();
}

inline std::string_view textOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Removes the first line from `rest`, and returns it without its end.
inline std::string_view takeLine(std::string_view &rest) {
  const size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

/// Whether the numbers of a shape make more elements than a fuzzer should fill. The parsers' own limits are
/// far higher.
inline bool asksForMuch(std::string_view text) {
  double product = 1, number = 0;
  for (const char c : text)
    if (c >= '0' && c <= '9') {
      number = number * 10 + (c - '0');
    } else {
      product *= std::max(1.0, number);
      number = 0;
    }
  return product * std::max(1.0, number) > 1 << 20;
}

/// What is refused says why, and can be shown.
inline void requireReason(const Error &error) {
  require(!error.diagnostics.empty(), "an error has a diagnostic");
  for (const Diagnostic &diagnostic : error.diagnostics)
    require(!diagnostic.message.empty(), "a diagnostic has a message");
  require(error.kind == ErrorKind::Kernel || !error.rule().empty(), "an error of a request has a rule");
  require(renderDiagnostics(error.diagnostics).find(error.message()) != std::string::npos,
          "a shown error has its message");
}

/// Whether the parser accepted.
template <class T> bool acceptedOrExplained(const Result<T> &result) {
  if (!result)
    requireReason(result.error());
  return bool(result);
}

} // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
