// Repairs local variables in threadgroup or constant memory whose declaration the source view has not
// recognised.
//
// Problem.  In Metal the space decides the storage; for Clang such a variable has to be static. The source
//           view writes `static` where it sees `threadgroup T name` or `constant T name`. It does not see
//           this form if a macro makes the type or the name (`threadgroup PACKED(float3) u;`), if the space
//           is after the type or in an alias, or if the name is in parentheses.
// Choice.   Clang's own error is at the variable. `static` is put where the declaration begins, and the file
//           is parsed again. A variable in device memory gets it, too, and metal_rules.h refuses that.
// Rejected. More forms in the rules of the view: each declaration would have to be read in two ways, as an
//           object's and as a function's, and tokens alone do not show what an alias is.
// Limit.    One declaration of such an object and of a pointer, `float threadgroup a, *p = &a;`, is refused,
//           since the pointer cannot be static.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// The fixes that make the variable of this error static; none for any other diagnostic.
std::set<SourceFix> localSpaceFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
