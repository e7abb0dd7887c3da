#include "frontend/syntax_visitor.h"

#include <clang/AST/RecursiveASTVisitor.h>

namespace assay::frontend {

/// Has no state of its own, so one can be made for each call.
class SyntaxVisitor::Walk : public clang::RecursiveASTVisitor<Walk> {
public:
  explicit Walk(SyntaxVisitor &visitor) : visitor_(visitor) {}

  bool shouldVisitImplicitCode() const { return visitor_.shouldVisitImplicitCode(); }

#define ASSAY_VISIT(name, type)                                                                              \
  bool Visit##name(clang::type node) { return visitor_.Visit##name(node); }
#define ASSAY_TRAVERSE(name, type)                                                                           \
  bool Traverse##name(clang::type node) { return visitor_.Traverse##name(node); }                            \
  bool into##name(clang::type node) { return RecursiveASTVisitor::Traverse##name(node); }
#include "frontend/visited_nodes.def"

private:
  SyntaxVisitor &visitor_;
};

SyntaxVisitor::~SyntaxVisitor() = default;

bool SyntaxVisitor::shouldVisitImplicitCode() const {
  return false;
}

bool SyntaxVisitor::TraverseStmt(clang::Stmt *statement) {
  return Walk(*this).TraverseStmt(statement);
}

#define ASSAY_VISIT(name, type)                                                                              \
  bool SyntaxVisitor::Visit##name(clang::type) {                                                             \
    return true;                                                                                             \
  }
#define ASSAY_TRAVERSE(name, type)                                                                           \
  bool SyntaxVisitor::Traverse##name(clang::type node) {                                                     \
    return Walk(*this).into##name(node);                                                                     \
  }
#include "frontend/visited_nodes.def"

} // namespace assay::frontend
