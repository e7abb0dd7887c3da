#include "undefined_symbols.h"

namespace assay {
namespace {

// A note belongs to the warning before it.
std::vector<Diagnostic> those(const std::vector<Diagnostic> &warnings, bool undefined) {
  std::vector<Diagnostic> found;
  bool now = false;
  for (const Diagnostic &one : warnings) {
    if (one.severity != Severity::Note)
      now = one.rule == "undefined-symbol";
    if (now == undefined)
      found.push_back(one);
  }
  return found;
}

} // namespace

std::optional<Error> undefinedSymbols(const std::vector<Diagnostic> &warnings) {
  Error error{ErrorKind::Kernel, those(warnings, true)};
  if (error.diagnostics.empty())
    return std::nullopt;
  for (Diagnostic &one : error.diagnostics)
    if (one.severity == Severity::Warning)
      one.severity = Severity::Error;
  return error;
}

std::vector<Diagnostic> otherWarnings(const std::vector<Diagnostic> &warnings) {
  return those(warnings, false);
}

} // namespace assay
