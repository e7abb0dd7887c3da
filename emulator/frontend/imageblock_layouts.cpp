#include "frontend/imageblock_layouts.h"

#include "frontend/annotations.h"
#include "frontend/user_code.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay::frontend {
namespace {

using namespace clang;

constexpr const char *kColors = "__assay_colors";

/// The member that has [[color(n)]], or null.
const FieldDecl *memberOfColor(const ASTContext &context, const CXXRecordDecl *record, int64_t n) {
  for (const FieldDecl *field : record->fields())
    if (annotationInteger(context, annotation(field, "color"), 0) == n)
      return field;
  for (const CXXBaseSpecifier &base : record->bases())
    if (const CXXRecordDecl *type = base.getType()->getAsCXXRecordDecl())
      if (const FieldDecl *field = memberOfColor(context, type, n))
        return field;
  return nullptr;
}

class SlicesChecker : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *call) override {
    const CXXMethodDecl *method = call->getMethodDecl();
    if (!method || !method->getIdentifier() || method->getName() != "slice" || call->getNumArgs() == 0)
      return true;
    const auto *block = dyn_cast<ClassTemplateSpecializationDecl>(method->getParent());
    const TemplateArgumentList *types = method->getTemplateSpecializationArgs();
    const Expr *index = call->getArg(0);
    if (!block || block->getName() != "imageblock" || !inMetal(block) || !types ||
        !index->getType()->isIntegerType() || index->isValueDependent())
      return true;
    const CXXRecordDecl *record = block->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
    const std::optional<llvm::APSInt> n = index->getIntegerConstantExpr(context_);
    if (record && n)
      check(index->getExprLoc(), record, n->getExtValue(), types->get(0).getAsType());
    return true;
  }

private:
  void check(SourceLocation where, const CXXRecordDecl *record, int64_t n, QualType wanted) {
    const FieldDecl *field = memberOfColor(context_, record, n);
    const PrintingPolicy policy = metalPolicy(context_);
    if (!field)
      report(where,
             fmt::format("no member of '{}' has the attribute color({})", record->getNameAsString(), n));
    else if (!context_.hasSameUnqualifiedType(field->getType(), wanted))
      report(where, fmt::format("color({}) of '{}' is of type '{}', and the slice is of '{}'", n,
                                record->getNameAsString(), field->getType().getAsString(policy),
                                wanted.getAsString(policy)));
  }
};

} // namespace

void markColors(const TagDecl *tag) {
  auto *record = const_cast<CXXRecordDecl *>(dyn_cast<CXXRecordDecl>(tag));
  if (!record || std::ranges::none_of(record->fields(), [](const FieldDecl *field) {
        return annotation(field, "color") != nullptr;
      }))
    return;
  ASTContext &context = record->getASTContext();
  IdentifierInfo &name = context.Idents.get(kColors);
  if (!record->noload_lookup(&name).empty()) // that of the template
    return;
  TypedefDecl *colors = TypedefDecl::Create(context, record, record->getLocation(), record->getLocation(),
                                            &name, context.getTrivialTypeSourceInfo(context.VoidTy));
  colors->setImplicit();
  colors->setAccess(AS_public);
  record->addDecl(colors);
}

void checkSlices(ASTContext &context, const ViewFileSystem &files, const Declarations &declarations) {
  SlicesChecker(context, files).visitAll(declarations);
}

} // namespace assay::frontend
