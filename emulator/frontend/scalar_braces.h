// Elements of a vector in braces of their own.
//
// Problem.  `float2 v = {{{1}}, {2}}` is `float2 v = {1, 2}` for vectors that are built in, as Metal's are:
//           Clang takes any number of braces around a scalar, with a warning. Here each vector is a class.
//           One constructor takes elements in one pair of braces, and finds their type if it is that of all
//           elements without braces: in `float2 v = {1, {2.5f}}` the float would become an int. Otherwise
//           there is no constructor, or one that makes another vector of the braces (vector_rules.h).
// Choice.   Each of these errors names the list or an element. The elements lose their braces, and the file
//           is parsed again.
// Rejected. A constructor of lists of lists: every vector in braces would be ranked by it, too.
#pragma once

#include "frontend/view_file_system.h"
#include "frontend/written_token.h"

#include <clang/Basic/Diagnostic.h>

#include <optional>
#include <set>

namespace assay::frontend {

class ScalarBraces {
public:
  /// The fixes for this diagnostic. Of an assignment a note after the error tells the type.
  std::set<SourceFix> consider(const clang::Diagnostic &info, const ViewFileSystem &files);

private:
  std::optional<WrittenToken> list_; ///< the brace that opens the vector's list, of the last error
};

} // namespace assay::frontend
