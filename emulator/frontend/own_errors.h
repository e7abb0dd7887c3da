// Errors of the project's own that fixes (compile_fixes.h) look for, as they look for those of Clang. Clang
// gives the project's errors no numbers that are known beforehand, so they are known by words: the rule that
// reports the error, and the fix, read the same constant.
#pragma once

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticIDs.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringRef.h>

namespace assay::frontend {

/// space_rules.h: an argument is in other memory than the parameter.
inline constexpr const char *kUsedAsThread = "memory cannot be used as thread memory";
/// space_rules.h: `b ? x : y` of scalars in two memories, at the question mark.
inline constexpr const char *kChoiceIsValue =
    "is a value, and not an object that can be changed or pointed to";

/// vector_rules.h: braces in those of a vector make a vector, at the inner brace.
inline constexpr const char *kBracesAreOneElement = "braces in those of a vector are one element of it";

/// Whether the diagnostic is an error of the project's own with these words.
inline bool isOwnError(const clang::Diagnostic &info, llvm::StringRef words) {
  if (info.getID() < clang::diag::DIAG_UPPER_LIMIT || info.getLocation().isInvalid())
    return false;
  llvm::SmallString<128> text;
  info.FormatDiagnostic(text);
  return text.str().contains(words);
}

} // namespace assay::frontend
