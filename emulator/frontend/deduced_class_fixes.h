// `Pair p(v.xy, v.zw);`: swizzles as arguments from which the arguments of a class template are deduced.
//
// Problem.  A swizzle is a property (msl_shim/detail/swizzle.h). Clang reads a property's value before it
//           looks for a function or a constructor. Only when it deduces the arguments of a class template
//           does it look for the constructor first. The expression then has no type yet, and Clang finds no
//           constructor.
// Choice.   Clang's error tells where the list of arguments begins. Each argument that ends with a swizzle is
//           given to a function that returns it by value, and the file is parsed again.
// Rejected. Giving every swizzle to such a function (a swizzle can also be assigned to).
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// The fixes that wrap the swizzles among the arguments of this error; none for any other diagnostic.
std::set<SourceFix> deducedClassFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
