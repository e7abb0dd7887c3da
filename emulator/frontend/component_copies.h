// const thread float &r = v.x: the reference is bound to a copy.
//
// Problem.  A component of a vector is not an object in Metal, so a reference to const is bound to a copy of
//           it, which later stores to the vector do not change. Here components are members
//           (msl_shim/detail/vec.h), and the reference would follow the vector.
// Choice.   In the syntax tree, the component is replaced by a temporary with the value that is read from it.
//           A temporary to which a variable is bound lives as long as the variable.
// Limit.    Variables, and arguments of the program's functions, are changed in this way. Members that are
//           references are not.
#pragma once

#include <clang/AST/DeclGroup.h>

#include <vector>

namespace clang {
class Sema;
} // namespace clang

namespace assay::frontend {

void copyComponents(clang::Sema &sema, const std::vector<clang::DeclGroupRef> &declarations);

} // namespace assay::frontend
