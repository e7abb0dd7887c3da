// `uint first(device Digest d)`, where Digest is `uint[4]`: parameters whose type is an alias of an array.
//
// Problem.  In Metal, as in OpenCL, such a parameter is a pointer into the space. In its other languages,
//           Clang refuses a parameter that has an address space before it looks whether the parameter is an
//           array. The source view knows an array by its brackets, and an alias has none.
// Choice.   Clang's error is at the parameter's name. The type before it is given to an alias template that
//           makes a pointer of an array and nothing else, and the file is parsed again.
// Limit.    It is a trial (compile_fixes.h): a parameter that is no array stays refused at its line. A
//           template that is never called, `template <class T> void f(threadgroup T t)`, is accepted.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// The fixes that make the parameter of this error a pointer; none for any other diagnostic.
std::set<SourceFix> arrayParameterFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
