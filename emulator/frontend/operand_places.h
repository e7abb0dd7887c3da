// Where an operand that Clang names in a diagnostic is written: the range of a file into which a fix puts a
// helper around the operand (compile_fixes.h).
//
// Problem.  An operand may come from a macro, whose body serves other uses as well, or begin with a parameter
//           of a macro and end in its body.
// Choice.   Each function finds one of these places, and a caller tries them in the order that its fix needs.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceLocation.h>

#include <optional>
#include <string>
#include <vector>

namespace assay::frontend {

/// Offsets in the original text of a file, in bytes.
struct OperandPlace {
  std::string file;
  uint32_t begin = 0, end = 0;
};

class OperandPlaces {
public:
  OperandPlaces(const clang::SourceManager &sources, const ViewFileSystem &files)
      : sources_(sources), files_(files) {
    options_.CPlusPlus = true;
  }

  /// Where an operand is used, or else where it is written.
  std::optional<OperandPlace> operand(const clang::CharSourceRange &range) const;
  /// The place in the file where a macro is used, if a whole expansion or a part of an argument is the
  /// operand: the macro's body is also that of other uses.
  std::optional<OperandPlace> used(const clang::CharSourceRange &range) const;
  /// The innermost text that holds the whole operand, which may begin with a macro's parameter: `p[0]` in
  /// `#define PICK(c, p) ((c) ? p[0] : float4(1))`.
  std::optional<OperandPlace> held(const clang::CharSourceRange &range) const;
  /// The parameter in a macro's body that the operand is, if the body uses it again: what is done with it
  /// there may need the operand itself, as is_function_constant_defined() does.
  std::optional<OperandPlace> parameterUsedAgain(const clang::CharSourceRange &range) const;

  /// The text in the view, on one line.
  std::string textOf(const clang::CharSourceRange &range) const;
  std::string textOf(clang::SourceLocation token) const;
  /// Whether the token is +=, -=, *= or /=.
  bool isArithmeticAssignment(clang::SourceLocation token) const;

private:
  std::optional<OperandPlace> writtenAt(clang::SourceLocation token) const;
  std::optional<OperandPlace> spelled(const clang::CharSourceRange &range) const;
  std::vector<clang::SourceLocation> placesOf(clang::SourceLocation token, bool isFirst) const;
  unsigned lengthOf(clang::SourceLocation token) const;

  const clang::SourceManager &sources_;
  const ViewFileSystem &files_;
  clang::LangOptions options_;
};

} // namespace assay::frontend
