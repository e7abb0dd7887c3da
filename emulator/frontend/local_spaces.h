// Local variables in threadgroup or constant memory whose declaration the source view has not understood.
//
// Problem.  In Metal the space decides the storage; for Clang such a variable has to be static. The source
//           view writes `static` where it sees `threadgroup T name` or `constant T name`. It does not see
//           it where a macro makes the type or the name (`threadgroup PACKED(float3) u;`), where the space
//           stands after the type or in an alias, and where the name stands in parentheses.
// Choice.   Clang's own error is at the variable. `static` is put where the declaration begins, and the file
//           is parsed again. A variable in device memory gets it, too, and metal_rules.h refuses that.
// Rejected. More forms in the rules of the view: each declaration would be read twice, as one of an object
//           and as one of a function, and aliases are not known by tokens.
// Limit.    One declaration of such an object and of a pointer, `float threadgroup a, *p = &a;`, is refused,
//           since the pointer cannot be static.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// What makes the variable static that this error is about; nothing for any other diagnostic.
std::set<SourceFix> localSpaceFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
