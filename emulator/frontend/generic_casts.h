// `static_cast<device int *>(p)` of a generic pointer, which Metal has from 4.1 on (generic_pointers.h).
//
// Problem.  Clang has no static_cast between address spaces.
// Choice.   Where Clang refuses one, the operand becomes an object that converts to pointers to every memory
//           (msl_shim/detail/generic_pointers.h). Older versions do not have it, so that the error stays.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// The fix for the operand of the static_cast that this error is about; none for any other diagnostic.
std::set<SourceFix> genericCastFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
