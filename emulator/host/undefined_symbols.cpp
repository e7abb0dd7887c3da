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

std::optional<Error> asError(std::vector<Diagnostic> warnings) {
  if (warnings.empty())
    return std::nullopt;
  for (Diagnostic &one : warnings)
    if (one.severity == Severity::Warning)
      one.severity = Severity::Error;
  return Error{ErrorKind::Kernel, std::move(warnings)};
}

} // namespace

std::optional<Error> undefinedSymbols(const std::vector<Diagnostic> &warnings) {
  return asError(those(warnings, true));
}

std::vector<Diagnostic> otherWarnings(const std::vector<Diagnostic> &warnings) {
  return those(warnings, false);
}

std::optional<Error> warningsAsErrors(const std::vector<Diagnostic> &warnings) {
  std::vector<Diagnostic> others = otherWarnings(warnings);
  for (Diagnostic &one : others) // named as Clang names them: [-Werror,-Wunused-value]
    if (one.severity == Severity::Warning)
      one.rule = std::string(Rule("-Werror").text()) + (one.rule.empty() ? "" : "," + one.rule);
  return asError(std::move(others));
}

} // namespace assay
