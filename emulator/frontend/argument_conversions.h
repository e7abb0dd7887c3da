// Arguments that need a conversion of the language beside one of a class (class_conversions.h).
//
// Problem.  `f(1.0f)` for f(S) with `S(float4)`, and `g(k)` for g(float4) with `K::operator float`, have no
//           function to call.
// Choice.   Clang's note at each candidate tells the types and the number of the argument, and the error
//           before it where the call is. The argument is converted by a helper, and the file is parsed again.
// Limit.    Arguments of operators and of initialisers are left as they are.
#pragma once

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
  std::optional<WrittenToken> call_; ///< of the last error; none if that was about something else
};

} // namespace assay::frontend
