// Lists in braces for functions that differ in the elements of a vector.
//
// Problem.  Of normalize(float2) and normalize(half2), `normalize({x, y})` with floats calls the first in
//           Metal: published programs write it (tomocy/swift-metris, TilBlechschmidt/FemtoLab). Metal's
//           vectors are no classes, so that the list is converted element by element, and functions are
//           ranked by that. Here each vector is a class, the list makes one by a constructor, and Clang does
//           not rank constructors of different classes: it finds the call ambiguous.
// Choice.   Clang's error names the call. Each of its lists gets a function of the shim around it, which
//           makes the vector whose elements have the type that all of the list have, and the file is parsed
//           again.
// Limit.    Lists of several types stay ambiguous: which function Apple's compiler calls for them, if any, is
//           not known.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// The fixes for this error, to try; none for any other diagnostic.
std::set<SourceFix> vectorListFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
