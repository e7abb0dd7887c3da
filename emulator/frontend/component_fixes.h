// Repairs names of components that Clang refuses in a class and accepts in its own vectors.
//
// Problem.  `v.xyz.x = 3` assigns to a member of a value that nothing holds: the value of a swizzle is a
//           vector of its own. `v.s0` and `v.s3210` name components by their numbers, and the shim has no
//           such members: they would double the number of its swizzles. `v.xyzwxyzw` has more than four
//           components, and a vector of eight has names for all of its own, `v.w`, `v.s7`, `v.hi`. The
//           swizzles of the shim are for vectors that are not volatile: others would double their number.
// Choice.   Clang's error tells the place, and the file is parsed again. `v.xyz.x` becomes
//           `v.xyz.__itself().x`, which swizzle_elements.h replaces in the syntax tree. `v.s0` becomes
//           `v.x`, of a vector of eight `v.operator[](0)`, and `v.xyzxyz` becomes
//           `v.template __swizzled<6, 0, 1, 2, 0, 1, 2>()`. Before an assignment, ++ or --, and of a volatile
//           vector, it becomes the property `v.template __part<..>().all`. What was written stays as a
//           comment. Only files that need it pay for it.
// Source.   blu/metal_prob_7, which ships, has `v.xxxxxxxx`; Clang 19 for the rest.
// Volatile. `v.zyx.xy` of a volatile vector is read and changed as `v.zy`, so that it has one fix.
// Limit.    Several components of a vector of eight cannot be changed by a swizzle of theirs, and those of a
//           volatile vector only by one that follows at once, without a parenthesis or a comment between.
// Rejected. A change of the tokens before anything is parsed: a program's own class may have members with
//           these names.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>
#include <string_view>

namespace assay::frontend {

/// Whether `name` is the name of a swizzle: two to four components, or a half of a vector.
bool isSwizzle(std::string_view name);

/// The fixes for the component of this error; none for any other diagnostic.
std::set<SourceFix> componentFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
