// Functions that a program declares by a symbol of Apple's compiler, such as `float f(float)` with the label
// "air.simd_sum.f32".
//
// Problem.  By such declarations, published kernels use operations that Metal's headers do not offer. Nothing
//           defines these symbols here.
// Choice.   msl_shim/detail/air_symbols.h defines the known symbols, each as an inline function with the same
//           label. A program that declares labels is read again, after that header: Clang then emits the
//           definitions that the program calls, under the names that it calls. Each declaration is compared
//           with the definition of its label. Newer programs write a byte 1 before the label, since Apple's
//           newest front end refuses labels that begin with "air."; with or without the byte, a label means
//           the same symbol.
// Rejected. A module of definitions that lowering links: it would have to be compiled for each set of
//           options, and messages at the user's declaration need the syntax tree. Including the header in
//           every program: it is as long as many kernels.
#pragma once

#include "frontend/view_file_system.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace assay::frontend {

/// The header, relative to the shim.
inline constexpr std::string_view kAirSymbols = "detail/air_symbols.h";

/// Gives the user's declarations the symbols of the header's definitions, and reports declarations that match
/// none of them. A declaration that is never used may have any symbol.
///   returns   true if the header was not included and is needed: nothing is done then, and the program has
///             to be read again after it
bool bindAirSymbols(clang::ASTContext &context, const ViewFileSystem &files);

} // namespace assay::frontend
