// Diagnostics as data: a place in the user's file, a fact, a rule, and what to do. Only renderDiagnostic
// turns them into text, in Clang's form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

/// Where the shim's files appear to be. Not a real directory, so no user's file can be there instead.
inline constexpr std::string_view kShimRoot = "/assay/msl_shim";

/// A place in the user's own file (never in the source view). Lines and columns count from 1; 0 is unknown.
struct SourcePlace {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  bool known() const { return !file.empty() && line != 0; }
  bool operator==(const SourcePlace &) const = default;
};

enum class Severity { Note, Warning, Error };

/// "note", "warning", "error"
std::string_view nameOf(Severity severity);

struct Diagnostic {
  Severity severity = Severity::Error;
  SourcePlace where;
  std::string message;    ///< lower case, no full stop, both numbers where there are two
  std::string rule;       ///< short name in brackets: "out-of-bounds", "unsupported"; may be empty
  std::string hint;       ///< what to do; may be empty
  std::string sourceLine; ///< the text of the line, empty if unknown
  std::vector<std::pair<uint32_t, uint32_t>> ranges; ///< columns [first, last) to underline in sourceLine
};

/// Text of one diagnostic: `place: severity: message [rule]`, the source line with a caret, the hint.
///   color   ANSI escapes as Clang uses them
std::string renderDiagnostic(const Diagnostic &diagnostic, bool color = false);
std::string renderDiagnostics(const std::vector<Diagnostic> &diagnostics, bool color = false);

} // namespace assay
