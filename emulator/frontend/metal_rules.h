// Refuses what C++ allows and Metal does not: one pass over the user's declarations before code generation.
//
// Problem.  Clang compiles C++ here, so it would run a source that Apple's compiler refuses: pointers without
//           an address space, mutable globals, `goto`, virtual functions. Its author would find out on the
//           Mac. Conversions between address spaces are in space_rules.h, recursion in recursion_rule.h.
// Choice.   A visitor of the user's code (neither of the shim nor of instantiations), with a table of
//           messages. `thread` leaves nothing in a type, so the words of a pointer are read from the source
//           view: the tokens before the `*` or `&` contain `thread`, or a macro of the program, which may
//           stand for it. Types that depend on a template's parameters are ignored, except for `T *` with the
//           parameter itself.
// Rejected. Clang's warnings as errors (there are none for most rules); checks of tokens alone (they know no
//           types). One rule needs instantiations, for an initialiser in threadgroup memory that depends on a
//           template: they are visited only if there is such a variable.
#pragma once

#include "frontend/view_file_system.h"

namespace clang {
class ASTContext;
class Preprocessor;
} // namespace clang

namespace assay::frontend {

/// Reports each violation through Clang's diagnostics, at the user's line.
void checkMetalRules(clang::ASTContext &context, clang::Preprocessor &preprocessor,
                     const ViewFileSystem &files);

} // namespace assay::frontend
