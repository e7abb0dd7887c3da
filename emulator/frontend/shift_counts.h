// Shifts by a constant count that is outside the width of the value.
//
// Problem.  In Metal a count counts modulo the width: `1 << 35` is 8. The passes of lowering give counts at
//           run time that meaning (lowering/total_operations.h), but Clang computes with constants before any
//           pass sees them. `1 << 35` became 0 in a function and INT_MIN at program scope, and where the
//           language asks for a constant, as in an enumerator, Clang refused the program.
//           source: MSL specification 3.1; Apple's compiler warns of `enum { A = 1 << 32 }`, and accepts it
//           (cristim/mslc)
// Choice.   Where Clang refuses the count, its note tells the operator, and the view gets a mask around the
//           right operand (compile_fixes.h). Everywhere else the syntax tree gets the count within the width
//           before code is generated, and what Clang computed from the old count is forgotten.
// Rejected. Clang's own masks belong to OpenCL, a language option with many other meanings.
// Limit.    An operator in the text of a macro gets no mask, because other uses of the macro may shift values
//           of another width: such a constant is still refused.
#pragma once

#include "frontend/instantiations.h"
#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace clang {
class ASTContext;
} // namespace clang

namespace assay::frontend {

/// The mask for the shift that this note is about; none for any other diagnostic.
std::set<SourceFix> shiftCountFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

/// Gives the user's shifts counts within the width, before code is generated.
void reduceShiftCounts(clang::ASTContext &context, const ViewFileSystem &files,
                       const Declarations &declarations);

} // namespace assay::frontend
