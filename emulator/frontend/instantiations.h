// What Clang made of the templates of a program, for rules that only an instantiation can break.
//
// The code generator is given each instantiated function with its body as a declaration of its own
// (vector_contraction.h keeps them all), so none has to be searched for in the templates: most instantiations
// of a real file belong to the library.
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

/// A note of Clang's own there: in instantiation of .. requested here.
void noteInstantiation(clang::DiagnosticsEngine &diagnostics, const clang::Decl *instance);

} // namespace assay::frontend
