#include "frontend/recursion_rule.h"

#include "frontend/user_code.h"

#include <fmt/format.h>

#include <map>
#include <vector>

namespace assay::frontend {
namespace {

using namespace clang;

class RecursionRuleChecker : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  void run(const Declarations &declarations) {
    visitAll(declarations);
    for (size_t i = 0; i < functions_.size(); ++i) // it grows
      if (!functions_[i]->isConstexpr())
        follow(functions_[i]);
  }

  // The types of an instantiation, of which there are many, convert and call nothing.
  bool TraverseTypeLoc(TypeLoc type) override {
    return instance() || evaluated([&] { return UserCodeVisitor::TraverseTypeLoc(type); });
  }
  bool TraverseTemplateArgumentLoc(TemplateArgumentLoc argument) override {
    return evaluated([&] { return UserCodeVisitor::TraverseTemplateArgumentLoc(argument); });
  }
  bool TraverseConstantExpr(ConstantExpr *constant) override {
    return evaluated([&] { return UserCodeVisitor::TraverseConstantExpr(constant); });
  }
  bool TraverseStaticAssertDecl(StaticAssertDecl *assertion) override {
    return evaluated([&] { return UserCodeVisitor::TraverseStaticAssertDecl(assertion); });
  }
  bool TraverseVarDecl(VarDecl *variable) override {
    if (variable->isConstexpr())
      return evaluated([&] { return UserCodeVisitor::TraverseVarDecl(variable); });
    return UserCodeVisitor::TraverseVarDecl(variable);
  }
  bool TraverseFunctionDecl(FunctionDecl *function) override {
    return inside(function, &RecursionRuleChecker::walkFunction);
  }
  bool TraverseCXXMethodDecl(CXXMethodDecl *method) override {
    return inside(method, &RecursionRuleChecker::walkMethod);
  }

  // A returned call is in tail position, also in parentheses or in an arm of a conditional.
  bool VisitReturnStmt(ReturnStmt *returned) override {
    tail(returned->getRetValue());
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (caller_ && callee && !callee->isDependentContext())
      calls_[caller_].push_back({callee->getCanonicalDecl(), call->getExprLoc(), tails_.contains(call)});
    return true;
  }

private:
  struct Call {
    const FunctionDecl *callee;
    SourceLocation where;
    bool tail;
  };

  // What the compiler evaluates: calls there are not made by code that runs.
  template <class Visit> bool evaluated(Visit visit) {
    const FunctionDecl *outer = std::exchange(caller_, nullptr);
    const bool more = visit();
    caller_ = outer;
    return more;
  }

  template <class T> bool inside(T *function, bool (RecursionRuleChecker::*walk)(T *)) {
    if (!function->doesThisDeclarationHaveABody() || function->isDependentContext())
      return true;
    const FunctionDecl *outer = std::exchange(caller_, function->getCanonicalDecl());
    functions_.push_back(caller_);
    if (function->getReturnType()->isVoidType())
      last(function->getBody());
    const bool more = (this->*walk)(function);
    caller_ = outer;
    return more;
  }
  bool walkFunction(FunctionDecl *function) { return UserCodeVisitor::TraverseFunctionDecl(function); }
  bool walkMethod(CXXMethodDecl *method) { return UserCodeVisitor::TraverseCXXMethodDecl(method); }

  void tail(Expr *value) {
    if (!value)
      return;
    value = value->IgnoreUnlessSpelledInSource();
    if (auto *choice = dyn_cast<ConditionalOperator>(value)) {
      tail(choice->getTrueExpr());
      tail(choice->getFalseExpr());
    } else if (isa<CallExpr>(value)) {
      tails_.insert(value);
    }
  }

  // The calls with which a void function ends.
  void last(Stmt *statement) {
    if (auto *block = dyn_cast_or_null<CompoundStmt>(statement)) {
      for (auto at = block->body_begin(); at != block->body_end(); ++at)
        if (std::next(at) == block->body_end() || isa<ReturnStmt>(*std::next(at)) || isa<IfStmt>(*at))
          lastOf(*at, std::next(at) == block->body_end() || isa<ReturnStmt>(*std::next(at)));
    } else {
      lastOf(statement, true);
    }
  }
  // `if (c) { f(n - 1); return; }` ends the function, too, at any place in it.
  void lastOf(Stmt *statement, bool ends) {
    if (auto *branch = dyn_cast_or_null<IfStmt>(statement)) {
      for (Stmt *arm : {branch->getThen(), branch->getElse()})
        if (arm && (ends || returns(arm)))
          last(arm);
    } else if (auto *value = dyn_cast_or_null<Expr>(statement); value && ends) {
      tail(value);
    } else if (auto *block = dyn_cast_or_null<CompoundStmt>(statement); block && ends) {
      last(block);
    }
  }
  static bool returns(const Stmt *arm) {
    const auto *block = dyn_cast<CompoundStmt>(arm);
    return block && !block->body_empty() && isa<ReturnStmt>(block->body_back());
  }

  // A function of the program's beginning that was kept in parsed form (precompiled_prefix.h) is visited when
  // something calls it.
  void visitKept(const FunctionDecl *function) {
    const FunctionDecl *definition = function->getDefinition();
    if (definition && definition->isFromASTFile() && inUserFile(definition->getLocation()) &&
        !calls_.contains(function))
      TraverseDecl(const_cast<FunctionDecl *>(definition));
  }

  void follow(const FunctionDecl *function) {
    State &state = states_[function];
    if (state != State::New)
      return;
    state = State::Open;
    visitKept(function);
    for (const Call &call : calls_[function]) {
      const bool loop = call.callee == function && call.tail;
      if (states_[call.callee] == State::Open && !loop)
        inInstance(function->isTemplateInstantiation() ? function : nullptr, [&] { cycle(call, *function); });
      else
        follow(call.callee);
    }
    states_[function] = State::Done;
  }

  void cycle(const Call &call, const FunctionDecl &caller) {
    report(call.where,
           fmt::format("'{}' calls itself{}: Metal has no recursion; write a loop",
                       call.callee->getNameAsString(),
                       call.callee == &caller ? std::string()
                                              : fmt::format(" through '{}'", caller.getNameAsString())));
  }

  enum class State : unsigned char { New, Open, Done };
  const FunctionDecl *caller_ = nullptr;
  std::vector<const FunctionDecl *> functions_;
  std::map<const FunctionDecl *, std::vector<Call>> calls_;
  std::map<const FunctionDecl *, State> states_;
  std::set<const Stmt *> tails_;
};

} // namespace

void checkRecursion(ASTContext &context, const ViewFileSystem &files, const Declarations &declarations) {
  RecursionRuleChecker(context, files).run(declarations);
}

} // namespace assay::frontend
