// The place and the words of an error about a semicolon or a parenthesis that is missing before one of
// Metal's words.
//
// Problem.  `kernel`, `device` and the other words are attributes here (msl_shim/detail/prelude.h), and Clang
//           takes an attribute also at the end of a declaration. It reads the words of the next declaration
//           as the last ones of this one, and misses the semicolon only after them, some lines too late. What
//           it says of these words, such as that a parameter is in a memory, is a consequence.
// Choice.   For an error that tells of something missing, the words before its place are stepped over. The
//           error gets the place and the message that it has where these words are keywords.
//           source: stock Clang 19 on the same texts in OpenCL C++, where they are.
// Rejected. A look at the tokens before Clang reads them: it would have to know where a declaration ends,
//           and might refuse what is right. Here, errors are only moved, worded otherwise or left out.
// Limit.    A macro that stands for such a word is known if it is defined in the same file. After a branch of
//           an #if that has text, what was read last is not known, and the error stays at its place.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceLocation.h>

#include <optional>
#include <string>

namespace assay::frontend {

struct Slip {
  clang::SourceLocation where;
  std::string message;
  bool explainsLast = false; ///< the last error before it is a consequence
};

/// Is shown all errors of Clang, in their order.
class Slips {
public:
  /// Whether the error is a consequence of an earlier one, and not to be shown.
  bool isConsequence(const clang::Diagnostic &error) const;

  /// None if the error tells of nothing that is missing, or if none of Metal's words is before it.
  std::optional<Slip> slipOf(const clang::Diagnostic &error, const ViewFileSystem &files);

  /// Clang has gone on as if another name had been written here: what follows is about that name.
  void guessed(clang::SourceLocation where) {
    missing_ = where;
    lacks_ = true;
  }

private:
  clang::SourceLocation missing_; ///< the last error, if it tells of something missing
  clang::SourceLocation memory_;  ///< the last error, if it says that something is in a memory
  bool lacks_ = false;            ///< and the rest of the declaration was read otherwise than written
};

} // namespace assay::frontend
