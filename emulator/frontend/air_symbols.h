// Functions that a program declares by a symbol of Apple's compiler, as `float f(float)` with the label
// "air.simd_sum.f32".
//
// Problem.  Published kernels reach operations that Metal's headers do not show by such declarations. Nothing
//           defines the symbols here.
// Choice.   msl_shim/detail/air_symbols.h defines those that are known, each as an inline function with the
//           same label. A program that declares labels is read again, after that header: Clang then emits the
//           definitions that the program calls, under the names that it calls. Each declaration is compared
//           with the definition of its label. Newer programs write a byte 1 before the label, since Apple's
//           newest front end refuses labels that begin with "air."; both are the same symbol.
// Rejected. A module of definitions that lowering links: it would have to be compiled for each set of
//           options, and messages at the user's declaration need the syntax tree. The header before every
//           program: it is as long as many kernels.
#pragma once

#include "frontend/view_file_system.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace assay::frontend {

/// The header, relative to the shim.
inline constexpr std::string_view kAirSymbols = "detail/air_symbols.h";

/// Gives the user's declarations the symbols of the header's definitions, and reports those that fit none. A
/// declaration that nothing refers to may be of any symbol.
///   returns   true if the program has to be read after the header, which was not there: nothing is done then
bool bindAirSymbols(clang::ASTContext &context, const ViewFileSystem &files);

} // namespace assay::frontend
