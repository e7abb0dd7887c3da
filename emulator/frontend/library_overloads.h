// Refuses calls that Metal finds ambiguous between a function of the program and one of the library.
//
// Problem.  With `using namespace metal`, a program's `float3 saturate(float3)` is as good a choice as the
//           library's, and Apple's compiler refuses the call: "call to 'saturate' is ambiguous". Apple's
//           headers declare a plain function for each vector type. Those of the shim are templates, since a
//           program uses few of them (msl_shim/detail/vector_overloads.h), and of two equal choices Clang
//           takes the one that is no template.
// Choice.   A call of a function outside of all namespaces, by its plain name, is refused where the library
//           has a template that stands for a function with the same parameters.
// Source.   Apple's metal_math, metal_geometric, metal_integer, metal_relational and metal_common. Errors of
//           Apple's compiler for scalars, as issue 75 of librashader and issue 258 of rust-gpu quote them.
// Rejected. Plain functions in the shim: thousands of declarations in front of each program.
// Limit.    `using namespace metal` is looked for outside of functions.
#pragma once

#include "frontend/instantiations.h"
#include "frontend/view_file_system.h"

namespace clang {
class Sema;
} // namespace clang

namespace assay::frontend {

/// Reports each call through Clang's diagnostics, at the user's line.
void checkLibraryOverloads(clang::Sema &sema, const ViewFileSystem &files, const Declarations &declarations);

} // namespace assay::frontend
