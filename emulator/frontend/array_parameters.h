// `uint first(device Digest d)`, where Digest is `uint[4]`: parameters whose type is an alias of an array.
//
// Problem.  In Metal, as in OpenCL, such a parameter is a pointer into the space. In every language but
//           OpenCL, Clang refuses a parameter that has an address space before it tests whether the parameter
//           is an array. The source view recognises an array by its brackets, and an alias has none.
// Choice.   Clang's error is at the parameter's name. The type before the name is wrapped in an alias
//           template that turns an array into a pointer and keeps other types, and the file is parsed again.
// Limit.    A parameter that is not an array is still refused at its line after that (compile_fixes.h). A
//           template that is never called, `template <class T> void f(threadgroup T t)`, is accepted.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// The fixes that make the parameter of this error a pointer; none for any other diagnostic.
std::set<SourceFix> arrayParameterFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
