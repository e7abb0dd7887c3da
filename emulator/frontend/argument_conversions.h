// Arguments that need a conversion of the language beside one of a class (class_conversions.h).
//
// Problem.  `f(1.0f)` for f(S) with `S(float4)`, and `g(k)` for g(float4) with `K::operator float`, have no
//           function to call. `v += k` has none either, nor has `v += h` with bfloats and a half, nor `s = 1`
//           with an S.
// Choice.   Clang's note at each candidate tells the types and the number of the argument, and the error
//           before it where the call is, or the operand. The argument is converted by a helper, and the file
//           is parsed again.
// Limit.    Arguments of other operators and of initialisers are left as they are. For vectors that are built
//           in, Clang has no `v + k` either.
#pragma once

#include "frontend/operand_places.h"
#include "frontend/view_file_system.h"
#include "frontend/written_token.h"

#include <clang/Basic/Diagnostic.h>

#include <optional>
#include <set>

namespace assay::frontend {

class ArgumentConversions {
public:
  /// The fixes, to try, for this diagnostic. A note after an error tells them.
  std::set<SourceFix> consider(const clang::Diagnostic &info, const ViewFileSystem &files);

private:
  void remember(const clang::Diagnostic &error, const ViewFileSystem &files);

  // Of the last error; none if that was about something else.
  std::optional<WrittenToken> call_;
  std::optional<OperandPlace> assigned_; ///< the right operand of =, +=, -=, *= or /=
  bool changes_ = false;                 ///< whether it is not that of =
};

} // namespace assay::frontend
