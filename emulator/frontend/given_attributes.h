// Handles attributes of Metal that are arguments of a macro:
// `#define ARG(type, name, attribute) type name [[attribute]]`.
//
// Problem.  The source view rewrites attributes as they are written, and does not expand macros. So it does
//           not see an attribute that comes from a macro's parameter. Clang would warn of an unknown
//           attribute and ignore it, and a buffer would get the wrong index.
// Choice.   The names in the table of attributes (attributes.h) are registered with Clang as a plugin's
//           attributes would be. They become the annotations that the view would have written. An attribute
//           that needs more than an annotation is an error, and so is a word that is itself a macro
//           (`kernel`, `threadgroup`). After such an error, the program is compiled again with the macro's
//           uses expanded (macro_expansions.h).
// Rejected. Handling all attributes in this way, without the view: Clang accepts attributes in fewer places
//           than Metal, and takes the arguments of some for expressions, which they are not.
#pragma once

#include <clang/Basic/Diagnostic.h>

namespace assay::frontend {

/// To be called before Clang parses anything in this process.
void registerGivenAttributes();

/// Whether this warning says that Clang ignores an attribute that Metal has. Assay makes it an error.
bool ignoresMetalsAttribute(const clang::Diagnostic &warning);

} // namespace assay::frontend
