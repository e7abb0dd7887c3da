#include "frontend/instantiations.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticSema.h>

namespace assay::frontend {

using namespace clang;

std::vector<FunctionDecl *> instantiatedFunctions(const Declarations &declarations) {
  std::vector<FunctionDecl *> functions;
  for (const DeclGroupRef &group : declarations)
    for (Decl *decl : group)
      if (auto *function = dyn_cast<FunctionDecl>(decl);
          function && function->isTemplateInstantiation() && function->doesThisDeclarationHaveABody())
        functions.push_back(function);
  return functions;
}

SourceLocation placeOfInstantiation(const Decl *instance) {
  if (const auto *function = dyn_cast<FunctionDecl>(instance))
    return function->getPointOfInstantiation();
  if (const auto *special = dyn_cast<ClassTemplateSpecializationDecl>(instance))
    return special->getPointOfInstantiation();
  return {};
}

SourceLocation callOfParameter(const Decl *instance, SourceLocation parameter) {
  if (const auto *function = dyn_cast<FunctionDecl>(instance))
    for (const ParmVarDecl *one : function->parameters())
      if (one->getLocation() == parameter)
        return function->getPointOfInstantiation();
  return {};
}

void noteInstantiation(DiagnosticsEngine &diagnostics, const Decl *instance) {
  const SourceLocation where = placeOfInstantiation(instance);
  if (where.isInvalid())
    return;
  const auto *function = dyn_cast<FunctionDecl>(instance);
  const unsigned id = !function                        ? diag::note_template_class_instantiation_here
                      : function->getPrimaryTemplate() ? diag::note_function_template_spec_here
                                                       : diag::note_template_member_function_here;
  // Clang's text for a class prints its type, that for a function the function's name.
  if (const auto *record = dyn_cast<ClassTemplateSpecializationDecl>(instance))
    diagnostics.Report(where, id) << record->getASTContext().getTypeDeclType(record);
  else
    diagnostics.Report(where, id) << function;
}

} // namespace assay::frontend
