// A visitor of Clang's syntax trees with virtual functions.
//
// Problem.  clang::RecursiveASTVisitor is a template over the class that uses it. Each visitor compiles all
//           of it again, which takes three to six seconds.
// Choice.   It is instantiated once, in syntax_visitor.cpp, for a class that calls virtual functions. A
//           visitor overrides them as it would those of Clang's class, and they are called in the same order.
// Limit.    Only the nodes of visited_nodes.def have virtual functions.
#pragma once

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/TypeLoc.h>

namespace assay::frontend {

class SyntaxVisitor {
public:
  SyntaxVisitor() = default;
  SyntaxVisitor(const SyntaxVisitor &) = delete;
  SyntaxVisitor &operator=(const SyntaxVisitor &) = delete;
  virtual ~SyntaxVisitor();

  /// Whether code that the compiler added is visited, too.
  virtual bool shouldVisitImplicitCode() const;

  bool TraverseStmt(clang::Stmt *statement);

  // Each returns false to end the visit.
#define ASSAY_VISIT(name, type) virtual bool Visit##name(clang::type node);
#define ASSAY_TRAVERSE(name, type) virtual bool Traverse##name(clang::type node);
#include "frontend/visited_nodes.def"

private:
  class Walk;
};

} // namespace assay::frontend
