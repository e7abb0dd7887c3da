#include "frontend/kernel_signatures.h"

#include "frontend/annotations.h"
#include "frontend/diagnostics.h"
#include "frontend/reflection.h"
#include "frontend/user_code.h"

#include <clang/AST/TypeLoc.h>

#include <fmt/format.h>

namespace assay::frontend {
namespace {

using namespace clang;

class Signatures : public UserCodeVisitor {
public:
  Signatures(ASTContext &context, const ViewFileSystem &files, const DiagnosticCollector &collector)
      : UserCodeVisitor(context, files), collector_(collector) {}

  void of(const DeclContext &scope) {
    for (Decl *decl : scope.noload_decls()) {
      if (const auto *space = dyn_cast<NamespaceDecl>(decl))
        of(*space);
      else if (const auto *pattern = dyn_cast<FunctionTemplateDecl>(decl))
        check(*pattern->getTemplatedDecl());
      else if (const auto *function = dyn_cast<FunctionDecl>(decl))
        check(*function);
      else if (const auto *variable = dyn_cast<VarDecl>(decl);
               variable && inUserFile(variable->getLocation()) &&
               !hasErrors(variable->getBeginLoc(), variable->getLocation()))
        reportFunctionConstant(context_, files_, *variable);
    }
  }

private:
  void check(const FunctionDecl &function) {
    if (!annotation(&function, "kernel") || !isUsers(&function))
      return;
    for (const ParmVarDecl *parameter : function.parameters()) {
      const QualType type = parameter->getType(), memory = type->getPointeeType();
      if (parameter->isInvalidDecl() || memory.isNull() || memory->isDependentType() ||
          memory->isFunctionType() || memory.getAddressSpace() != LangAS::Default)
        continue;
      report(parameter->getLocation(),
             fmt::format("{} '{}' of a kernel has no address space: write device, constant or threadgroup",
                         type->isReferenceType() ? "reference" : "pointer", parameter->getNameAsString()));
    }
    const FunctionTypeLoc type = function.getFunctionTypeLoc();
    if (type && function.doesThisDeclarationHaveABody() && !function.isDependentContext() &&
        !function.isInvalidDecl() && !hasErrors(function.getBeginLoc(), type.getRParenLoc()))
      reportSignature(context_, files_, function);
  }

  bool hasErrors(SourceLocation first, SourceLocation last) const {
    return collector_.hasErrorBetween(userPlace(sources_, first, files_), userPlace(sources_, last, files_));
  }

  const DiagnosticCollector &collector_;
};

} // namespace

void checkKernelSignatures(ASTContext &context, const ViewFileSystem &files, DiagnosticCollector &collector) {
  collector.reachDeclarations();
  Signatures(context, files, collector).of(*context.getTranslationUnitDecl());
}

} // namespace assay::frontend
