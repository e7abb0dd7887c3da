// What C++ allows and Metal does not: one pass over the user's declarations, before any code is made of them.
//
// Problem.  Clang compiles C++ here, so that a source which Apple's compiler refuses would be run: pointers without
//           an address space, mutable globals, `goto`, virtual functions. Its author finds out on the Mac.
//           What is said of conversions between address spaces: space_rules.h; of recursion: recursion_rule.h.
// Choice.   A visitor over what the user wrote (not the shim, not instantiations), with a table of what it says.
//           `thread` leaves nothing in a type, so a pointer's words are read from the source view: the tokens
//           before the `*` or `&` hold `thread`, or a macro of the program's, which may stand for it.
//           What depends on a template's parameters is left alone, but for `T *` with the parameter itself.
// Rejected. Warnings of Clang made errors (there are none for most rules); checks on tokens alone (they know no
//           types). One rule needs instantiations, for an initialiser in threadgroup memory that depends on a
//           template: those are walked only if such a variable was seen.
#pragma once

#include "frontend/view_file_system.h"

namespace clang {
class ASTContext;
class Preprocessor;
} // namespace clang

namespace assay::frontend {

/// Reports each breach through Clang's diagnostics, at the user's line.
void checkMetalRules(clang::ASTContext &context, clang::Preprocessor &preprocessor, const ViewFileSystem &files);

} // namespace assay::frontend
