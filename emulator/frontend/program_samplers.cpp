#include "frontend/program_samplers.h"

#include "frontend/annotations.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

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

bool hasRefusedPixels(const VarDecl &variable) {
  const Expr *init = variable.getInit();
  const auto *made = init && isSampler(variable.getType())
                         ? dyn_cast<CXXConstructExpr>(init->IgnoreUnlessSpelledInSource())
                         : nullptr;
  if (!made)
    return false;
  bool pixel = false, refused = false;
  llvm::StringRef least = "nearest", most = "nearest";
  for (const Expr *argument : made->arguments()) {
    const auto *use = dyn_cast<DeclRefExpr>(argument->IgnoreUnlessSpelledInSource());
    const auto *option = use ? dyn_cast<EnumConstantDecl>(use->getDecl()) : nullptr;
    if (!option)
      continue;
    const llvm::StringRef group = cast<EnumDecl>(option->getDeclContext())->getName(),
                          value = option->getName();
    pixel |= group == "coord" && value == "pixel";
    refused |= (group.ends_with("address") && value.ends_with("repeat")) ||
               (group == "mip_filter" && value != "none") || (group == "compare_func" && value != "never");
    if (group == "filter" || group == "min_filter")
      least = value;
    if (group == "filter" || group == "mag_filter")
      most = value;
  }
  return pixel && (refused || least != most);
}

} // namespace assay::frontend
