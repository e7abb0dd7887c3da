// Operations on constants whose result C++ does not define, and the rules of lowering do.
//
// Problem.  `1 << 35` is 8 here, int(3e9f) is INT_MAX and 5 / 0 is -1: lowering/total_operations.h says what
//           each operation gives. But Clang computes with constants before any pass of lowering sees them. In
//           a function it made zeros of the undefined results; at program scope `1 << 35` was INT_MIN; and
//           where the language asks for a constant, as in an enumerator, it refused the program.
//           source: for shifts, MSL specification 3.1; Apple's compiler warns of `enum { A = 1 << 32 }`, and
//           accepts it (cristim/mslc)
// Choice.   Where Clang refuses a shift, or takes `int a[1 << 33]` for an array of variable length, its note
//           tells the operator, and the view gets a mask around the right operand (compile_fixes.h). In the
//           text of a macro, whose other uses may shift values of another width, the operand becomes an
//           object whose operators know the width (msl_shim/detail/traits.h). Everywhere else the syntax tree
//           gets a count within the width before code is generated, and what Clang computed from the old
//           count is forgotten. The operand of a division or a conversion is read from a temporary variable
//           instead, so that the operation reaches lowering.
//           Of an argument of a function template Clang tells no operator. Where no function fits a call, all
//           shifts among its template's arguments are tried with such objects.
// Rejected. Clang's own masks belong to OpenCL, a language option with many other meanings.
// Limit.    Clang computes what initialises a constant at program scope: conversions saturate there, too.
#pragma once

#include "frontend/instantiations.h"
#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace clang {
class ASTContext;
} // namespace clang

namespace assay::frontend {

/// The mask for the count of the shift that this note is about; none for any other diagnostic.
std::set<SourceFix> undefinedConstantFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

/// Objects for the counts of the shifts between the template brackets of a call that no function fits.
std::set<SourceFix> templateArgumentFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

/// Gives the user's operations on constants the results that lowering defines, before code is generated.
void defineConstants(clang::ASTContext &context, const ViewFileSystem &files,
                     const Declarations &declarations);

} // namespace assay::frontend
