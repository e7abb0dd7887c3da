#include "frontend/conversion_rules.h"

#include "frontend/conversion_visitor.h"

namespace assay::frontend {
namespace {

using namespace clang;

bool isBfloat(QualType type) {
  return type->isSpecificBuiltinType(BuiltinType::BFloat16);
}

class ConversionRulesChecker : public ConversionVisitor {
public:
  using ConversionVisitor::ConversionVisitor;

  bool VisitImplicitCastExpr(ImplicitCastExpr *cast) override {
    if (cast->getCastKind() == CK_FloatingCast && !cast->isPartOfExplicitCast() &&
        isBfloat(cast->getType()) && !isAllowed(cast) && isUsersText(cast->getExprLoc()))
      report(cast->getExprLoc(),
             "a value of another type does not become a bfloat by itself: write bfloat(..)");
    return true;
  }
};

} // namespace

void checkConversions(ASTContext &context, const ViewFileSystem &files, const Declarations &declarations) {
  ConversionRulesChecker(context, files).visitAll(declarations);
}

} // namespace assay::frontend
