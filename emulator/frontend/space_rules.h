// Refuses conversions to thread memory, which Metal does not have, and those between threadgroup memory and
// the memory of imageblocks.
//
// Problem.  `thread` is Clang's default address space here, a superset of the others (method_spaces.h, the
//           shim's prelude), so that a pointer to device memory silently becomes a pointer to thread memory.
//           The superset is needed: implicit copies, and the shim's own functions, take objects of every
//           space.
// Choice.   Clang marks each such conversion in its syntax tree. A conversion in the user's text is an error,
//           unless it is an argument of a function of the shim or of a compiler-made function, or an arm of a
//           conditional, which Metal reads by value. A member function without a qualifier needs an object in
//           thread memory. A reference to const is no exception (KhronosGroup/SPIRV-Cross, issue 643, quotes
//           Apple's compiler).
//           A string literal, which is in thread memory for Clang, is refused where it becomes a pointer to
//           thread memory whose type is written.
//           An object of thread memory with an atomic has no constructor in Apple's library.
//           From Metal 4.1 on, pointers without a space take more: generic_pointers.h.
//           Templates are checked as they are written and as they are instantiated (user_code.h).
// Limit.    In a template, `thread const T &` accepts other memory, because T is deduced with the address
//           space as a part of it.
#pragma once

#include "frontend/instantiations.h"
#include "frontend/view_file_system.h"
#include "support/abi/language_version.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace assay::frontend {

class ThreadWords;

/// Reports each violation through Clang's diagnostics, at the user's line.
void checkSpaces(clang::ASTContext &context, ThreadWords &words, const ViewFileSystem &files,
                 LanguageVersion language, const Declarations &declarations);

} // namespace assay::frontend
