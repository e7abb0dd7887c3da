// String literals where constant memory is asked for: f("text") with `f(const constant char *)`.
//
// Problem.  In Metal a string literal lies in constant memory. For Clang it lies in thread memory, except in
//           OpenCL, and there is no way to change that.
// Choice.   Clang's own error names the literal's type. From there to the end of the statement, each literal
//           gets a suffix whose operator (detail/prelude.h) returns the text as an array in constant memory,
//           and the file is parsed again.
//           A macro that stands for a literal is joined with an empty literal that has the suffix, and the
//           bodies of other macros are treated as statements. If the error is in a template, the statements
//           that instantiate it are treated in the same way. The name of a function, __func__, is copied to
//           constant memory.
// Rejected. A suffix for all literals: formats, host names and messages of static_assert must have none.
// Limit.    `auto s = "text";` is a pointer to thread memory, which reads the same characters.
#pragma once

#include "frontend/tokens.h"
#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace clang {
class MacroInfo;
class Preprocessor;
} // namespace clang

namespace assay::frontend {

class ConstantStrings {
public:
  /// The preprocessor whose macros the text uses; null when the text has been read.
  void watch(const clang::Preprocessor *preprocessor) { preprocessor_ = preprocessor; }
  /// The fixes for an error, or for the error that a note belongs to; none for any other diagnostic.
  std::set<SourceFix> consider(const clang::Diagnostic &info, const ViewFileSystem &files);

private:
  struct Place {
    std::string file;
    uint32_t offset = 0; ///< in the original
  };
  const clang::MacroInfo *macro(std::string_view name) const;
  bool isLiteralsMacro(std::string_view name, int depth = 0) const;
  void fixStatement(const Place &place, const ViewFileSystem &files, std::set<SourceFix> &fixes) const;
  void fixToken(const std::vector<RawToken> &tokens, size_t i, const std::string &file,
                const ViewFileSystem &files, std::set<SourceFix> &fixes) const;
  void fixMacro(std::string_view name, const ViewFileSystem &files, std::set<SourceFix> &fixes) const;

  const clang::Preprocessor *preprocessor_ = nullptr;
  std::vector<Place> places_; ///< of the last error, and of what instantiates the template around it
  mutable std::set<std::string> macros_; ///< that have been fixed
};

} // namespace assay::frontend
