// String literals where constant memory is asked for: f("text") with `f(const constant char *)`.
//
// Problem.  In Metal a string literal lies in constant memory. For Clang it lies in thread memory, except in
//           OpenCL, and nothing of it can be changed.
// Choice.   Clang's own error names the literal's type. From there to the end of the statement, each literal
//           gets a suffix whose operator (detail/prelude.h) gives it as an array in constant memory, and the
//           file is parsed again.
//           A macro that stands for a literal is joined with an empty literal that has the suffix.
// Rejected. A suffix for all literals: formats, host names and messages of static_assert must have none.
// Limits.   `auto s = "text";` is a pointer to thread memory, which reads the same characters. A macro with
//           parameters, whose text makes a literal, stays one in thread memory.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>
#include <string_view>

namespace clang {
class Preprocessor;
} // namespace clang

namespace assay::frontend {

class ConstantStrings {
public:
  /// Whose macros the text uses; null when it has been read.
  void watch(const clang::Preprocessor *preprocessor) { preprocessor_ = preprocessor; }
  /// What repairs this error, or the error that this note belongs to; nothing for any other diagnostic.
  std::set<SourceFix> consider(const clang::Diagnostic &info, const ViewFileSystem &files);

private:
  bool isLiteralsMacro(std::string_view name, int depth = 0) const;

  const clang::Preprocessor *preprocessor_ = nullptr;
  std::string file_; ///< of the last error; empty if it is not in a user's file
  uint32_t offset_ = 0;
};

} // namespace assay::frontend
