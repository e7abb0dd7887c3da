// A SyntaxVisitor sees what Clang's own visitor sees, in the same order.
#include "frontend/syntax_visitor.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Tooling/Tooling.h>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace assay::frontend {
namespace {

constexpr const char *kProgram = R"(
  namespace n { int global = 1; typedef int Number; }
  template <class T, int N> struct Block {
    T values[N];
    T sum() const { T s = T(); for (int i = 0; i < N; ++i) s += values[i]; return s; }
    Block operator-(const Block &) const { return *this; }
  };
  template <class T> T twice(T x = T(2)) noexcept(noexcept(T())) { return x > 1 ? x * 2 : -x; }
  struct Held { int one = 1; Held(int n) : one(n) {} Held() = default; };
  asm("");
  int run(int n) {
    Block<n::Number, 3> block{{1, 2, 3}};
    auto add = [&](int more) { return block.sum() + more; };
    int *made = new int(4);
    delete made;
    float f = 0.5f;
    Held held;
    try { if (n) throw n; } catch (...) { goto end; }
    (block - block).sum();
    (void)dynamic_cast<Held &>(held);
    asm volatile("");
  end:
    return add(twice<int>()) + (int)f + sizeof(add(1)) + twice(n) + held.one;
  }
)";

using Seen = std::vector<std::pair<std::string, const void *>>;

const void *idOf(const void *node) {
  return node;
}
const void *idOf(clang::TypeLoc type) {
  return type.getOpaqueData();
}

class Ours : public SyntaxVisitor {
public:
  explicit Ours(bool implicit) : implicit_(implicit) {}
  bool shouldVisitImplicitCode() const override { return implicit_; }
#define ASSAY_VISIT(name, type)                                                                              \
  bool Visit##name(clang::type node) override {                                                              \
    seen.emplace_back(#name, idOf(node));                                                                    \
    return true;                                                                                             \
  }
#define ASSAY_TRAVERSE(name, type)
#include "frontend/visited_nodes.def"
  Seen seen;

private:
  bool implicit_;
};

class Clangs : public clang::RecursiveASTVisitor<Clangs> {
public:
  explicit Clangs(bool implicit) : implicit_(implicit) {}
  bool shouldVisitImplicitCode() const { return implicit_; }
#define ASSAY_VISIT(name, type)                                                                              \
  bool Visit##name(clang::type node) {                                                                       \
    seen.emplace_back(#name, idOf(node));                                                                    \
    return true;                                                                                             \
  }
#define ASSAY_TRAVERSE(name, type)
#include "frontend/visited_nodes.def"
  Seen seen;

private:
  bool implicit_;
};

std::unique_ptr<clang::ASTUnit> parsed() {
  return clang::tooling::buildASTFromCodeWithArgs(kProgram, {"-std=c++20", "-fcxx-exceptions"},
                                                  "program.cpp");
}

int count(const Seen &seen, const std::string &name) {
  int result = 0;
  for (const auto &[node, _] : seen)
    result += node == name;
  return result;
}

TEST(SyntaxVisitor, SeesTheSameNodesInTheSameOrderAsClangsVisitor) {
  const auto unit = parsed();
  ASSERT_TRUE(unit && !unit->getDiagnostics().hasErrorOccurred());
  for (const bool implicit : {false, true}) {
    Ours ours(implicit);
    Clangs clangs(implicit);
    EXPECT_TRUE(ours.TraverseDecl(unit->getASTContext().getTranslationUnitDecl()));
    EXPECT_TRUE(clangs.TraverseDecl(unit->getASTContext().getTranslationUnitDecl()));
    EXPECT_TRUE(ours.seen == clangs.seen) << "implicit code: " << implicit;
    EXPECT_GT(ours.seen.size(), 100u);
  }
}

// Without this, the program above could lack what the test is about.
TEST(SyntaxVisitor, MeetsNearlyEveryKindOfNode) {
  const auto unit = parsed();
  Ours ours(true);
  ours.TraverseDecl(unit->getASTContext().getTranslationUnitDecl());
#define ASSAY_VISIT(name, type)                                                                              \
  if (std::string(#name) != "PseudoObjectExpr" && std::string(#name) != "IndirectGotoStmt" &&                \
      std::string(#name) != "OpaqueValueExpr")                                                               \
    EXPECT_GT(count(ours.seen, #name), 0) << #name;
#define ASSAY_TRAVERSE(name, type)
#include "frontend/visited_nodes.def"
}

class WithoutLambdas : public SyntaxVisitor {
public:
  bool TraverseLambdaExpr(clang::LambdaExpr *) override { return true; }
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr *) override {
    ++calls;
    return true;
  }
  int calls = 0;
};

TEST(SyntaxVisitor, LeavesOutWhatAnOverrideDoesNotWalkInto) {
  const auto unit = parsed();
  WithoutLambdas visitor;
  visitor.TraverseDecl(unit->getASTContext().getTranslationUnitDecl());
  EXPECT_EQ(visitor.calls, 1); // (block - block).sum(), not block.sum() of the lambda
}

class UntilTheFirstCall : public SyntaxVisitor {
public:
  bool VisitCallExpr(clang::CallExpr *) override { return ++calls < 1; }
  int calls = 0;
};

TEST(SyntaxVisitor, EndsWhereAVisitSaysSo) {
  const auto unit = parsed();
  UntilTheFirstCall visitor;
  EXPECT_FALSE(visitor.TraverseDecl(unit->getASTContext().getTranslationUnitDecl()));
  EXPECT_EQ(visitor.calls, 1);
}

} // namespace
} // namespace assay::frontend
