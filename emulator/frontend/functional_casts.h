// Conditions and statements that begin with a functional cast of a pointer that is cast itself.
//
// Problem.  `if (uint(*(device uchar *)p) > 2)`: the shim's `device` is an attribute. After a parenthesis
//           Clang takes an attribute as the proof that a declarator begins, so that it reads a declaration of
//           type uint. For Apple's compiler `device` is a qualifier, as `const` is, and the text is an
//           expression.
// Choice.   Clang's error tells the place. The condition, or the statement, gets an operand with a comma
//           before it, and the file is parsed again: what begins with an expression is no declaration.
// Rejected. Another word in the attribute's place: of those that Clang passes over there, each means
//           something or needs the language of another compiler. Moving `device` to the end of the type by
//           the tokens alone: casts in macros would be left.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// The fixes for this error, to try; none for any other diagnostic.
std::set<SourceFix> functionalCastFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
