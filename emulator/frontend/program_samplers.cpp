#include "frontend/program_samplers.h"

#include "frontend/annotations.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>

namespace assay::frontend {
namespace {

using namespace clang;

bool isSampler(QualType type) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && record->getIdentifier() && record->getName() == "sampler" && inMetal(record);
}

void visit(Decl *decl) {
  if (auto *space = dyn_cast<NamespaceDecl>(decl)) {
    for (Decl *member : space->decls())
      visit(member);
    return;
  }
  auto *variable = dyn_cast<VarDecl>(decl);
  if (!variable || !variable->isFileVarDecl() || !isSampler(variable->getType()) ||
      variable->getType().hasAddressSpace() || isGlobalBinding(variable))
    return;
  variable->setType(variable->getType().withConst());
}

} // namespace

void makeSamplersConst(DeclGroupRef group) {
  for (Decl *decl : group)
    visit(decl);
}

} // namespace assay::frontend
