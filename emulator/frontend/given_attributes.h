// Handles attributes of Metal that are arguments of a macro:
// `#define ARG(type, name, attribute) type name [[attribute]]`.
//
// Problem.  The source view rewrites attributes as they are written, and does not expand macros. So it does
//           not see an attribute that comes from a macro's parameter. Clang would warn of an unknown
//           attribute and ignore it, and a buffer would get another index.
// Choice.   The names of the table are registered with Clang as a plugin's attributes would be, and become
//           the annotations that the view would have written. Those that need more than an annotation are
//           errors, and so are words that are macros themselves (`kernel`, `threadgroup`): the program is
//           then compiled again with the macro's uses expanded (macro_expansions.h).
// Rejected. All attributes in this way, without the view: Clang takes them in fewer places than Metal, and
//           reads the arguments of some as expressions that they are not.
#pragma once

#include <clang/Basic/Diagnostic.h>

namespace assay::frontend {

/// Before Clang parses anything in this process.
void registerGivenAttributes();

/// Whether Clang ignores an attribute that Metal has: an error, in spite of Clang's warning.
bool ignoresMetalsAttribute(const clang::Diagnostic &warning);

} // namespace assay::frontend
