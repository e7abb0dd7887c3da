// Names the variables that are declared without a value, for the checker of undefined values.
//
// Problem.  A variable without an initialiser is memory with a type in LLVM's IR. Its name, its place in the
//           user's file and the names of its members are lost there, unless the module has debug information
//           for all variables, which makes it twice as large.
// Choice.   Each such variable of the user's gets an annotation. Its text has the place, and the parts of the
//           variable that hold data, so padding is not included. Clang passes it on as a call of
//           llvm.var.annotation, which becomes metadata of the variable's memory; no pass depends on it. A
//           variable in threadgroup memory that is declared with a value (zero, by Metal's rules) also gets
//           metadata: its memory counts as written.
// Not here. Variables with an initialiser, parameters and pointers; variables of the shim. A variable of a
//           class whose default constructor leaves members unset is treated as one without a value, and the
//           stores of the constructor count as writes.
// Rejected. Debug information for variables only in checked runs: the module would differ, and would have to
//           be compiled a second time.
#pragma once

#include "frontend/instantiations.h"

#include <clang/AST/ASTContext.h>

namespace llvm {
class Module;
} // namespace llvm

namespace assay::frontend {

class ViewFileSystem;

/// Annotates them, with the text of support/abi/unwritten_text.h. Before code is generated.
void nameUnwrittenVariables(clang::ASTContext &context, const ViewFileSystem &files,
                            const Declarations &declarations);

/// Makes metadata of these annotations (kUnwritten, kDeclaredWithValue). Before annotations are dropped.
void keepUnwritten(llvm::Module &module);

} // namespace assay::frontend
