// `t[i, j]`: a subscript of a tensor with several indices.
//
// Problem.  Metal 4 has such subscripts. Before C++23, Clang reads the commas between brackets as operators,
//           whose value is the last index.
// Choice.   A subscript with one index is an error if the tensor has more or fewer dimensions
//           (msl_shim/metal_tensor), and Clang's error is at the bracket. If there are commas between the
//           brackets, the indices become the arguments of a function that returns all of them, and the file
//           is parsed again.
// Rejected. C++23, which is another language; rewriting every subscript with a comma (for pointers and
//           arrays the commas are operators, and tokens do not tell a tensor).
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// The fix that joins the indices between the brackets of this error; none for any other diagnostic.
std::set<SourceFix> tensorSubscriptFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
