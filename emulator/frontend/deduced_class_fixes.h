// `Pair p(v.xy, v.zw);`: swizzles as arguments that a class template's own arguments are deduced from.
//
// Problem.  A swizzle is a property (msl_shim/detail/swizzle.h), whose value Clang reads before it looks for
//           a function or a constructor. Only where it deduces the arguments of a class template does it look
//           first, at an expression that has no type yet, and finds no constructor.
// Choice.   Clang's error tells where the list of arguments begins. Each argument that ends with a swizzle is
//           given to a function that returns it by value, and the file is parsed again.
// Rejected. A function by value around every swizzle (it is a place that is assigned to, as well).
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// What wraps the swizzles among the arguments that this error is about; nothing for any other diagnostic.
std::set<SourceFix> deducedClassFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
