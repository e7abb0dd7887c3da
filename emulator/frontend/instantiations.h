// Lists the instantiations of a program's templates, for rules that only an instantiation can break.
//
// The code generator gets each instantiated function with its body as a declaration of its own, and
// vector_contraction.h keeps all of these. So the templates need not be searched for instantiations, most of
// which belong to the library in a real file.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/DeclGroup.h>

#include <vector>

namespace clang {
class DiagnosticsEngine;
} // namespace clang

namespace assay::frontend {

/// All declarations that code is generated for.
using Declarations = std::vector<clang::DeclGroupRef>;

/// Functions of templates, and member functions of class templates, in order.
std::vector<clang::FunctionDecl *> instantiatedFunctions(const Declarations &declarations);

/// Where an instantiation, a function or a class, was first asked for. Invalid for anything else.
clang::SourceLocation placeOfInstantiation(const clang::Decl *instance);

/// Where the program called the instantiation whose parameter is at this place; invalid for any other place.
clang::SourceLocation callOfParameter(const clang::Decl *instance, clang::SourceLocation parameter);

/// Reports Clang's own note at that place: in instantiation of .. requested here.
void noteInstantiation(clang::DiagnosticsEngine &diagnostics, const clang::Decl *instance);

} // namespace assay::frontend
