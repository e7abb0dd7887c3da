// Refuses what C++ allows and Metal does not: one pass over the user's declarations before code generation.
//
// Problem.  Clang compiles C++ here, so it would run a source that Apple's compiler refuses: pointers without
//           an address space, mutable globals, `goto`, virtual functions. Its author would find out on the
//           Mac. Conversions between address spaces are in space_rules.h.
// Choice.   A visitor of the user's code (not of the shim), with a table of messages. Instantiations are
//           visited after the templates that they were made from (user_code.h). `thread` leaves nothing in a
//           type, so the words of a pointer are read from the source view: the tokens before the `*` or `&`
//           contain `thread`, or a macro of the program, which may stand for it. Types that depend on a
//           template's parameters are left to the instantiations, except for `T *` with the parameter itself.
// Rejected. Clang's warnings as errors (there are none for most rules); checks of tokens alone (they know no
//           types).
// Limit.    A pointer type without an address space that a template deduces may point to thread memory, and
//           is not refused. In a class template inside a class template, only the functions are visited.
#pragma once

#include "frontend/instantiations.h"
#include "frontend/view_file_system.h"
#include "support/abi/language_version.h"

namespace clang {
class ASTContext;
class ClassTemplateSpecializationDecl;
} // namespace clang

namespace assay::frontend {

class ThreadWords;

/// Reports each violation through Clang's diagnostics, at the user's line.
///   classes   those that were made from templates
void checkMetalRules(clang::ASTContext &context, ThreadWords &words, const ViewFileSystem &files,
                     LanguageVersion language, const Declarations &declarations,
                     const std::vector<clang::ClassTemplateSpecializationDecl *> &classes);

/// In a program that Clang refuses: reports parameters and results of functions, except for kernels, that are
/// pointers or references without an address space. They may be why.
void checkParameterSpaces(clang::ASTContext &context, ThreadWords &words, const ViewFileSystem &files,
                          LanguageVersion language);

} // namespace assay::frontend
