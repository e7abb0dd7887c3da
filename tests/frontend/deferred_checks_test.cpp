// The list of functions that a parsed form need not keep: full where Clang fills it, and empty afterwards.
#include "frontend/deferred_checks.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <clang/Tooling/Tooling.h>

#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

struct Counts {
  size_t before = 0, after = 0;
};

enum class Messages { None, One };

class Counter : public clang::SemaConsumer {
public:
  Counter(Counts &counts, Messages messages) : counts_(counts), messages_(messages) {}
  void InitializeSema(clang::Sema &sema) override { sema_ = &sema; }
  void HandleTranslationUnit(clang::ASTContext &context) override {
    if (messages_ == Messages::One)
      for (const clang::Decl *decl : context.getTranslationUnitDecl()->decls())
        if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(decl))
          sema_->DeviceDeferredDiags[function];
    counts_.before = deferredChecks(*sema_);
    forgetDeferredChecks(*sema_);
    counts_.after = deferredChecks(*sema_);
  }

private:
  Counts &counts_;
  const Messages messages_;
  clang::Sema *sema_ = nullptr;
};

class Action : public clang::ASTFrontendAction {
public:
  Action(Counts &counts, Messages messages) : counts_(counts), messages_(messages) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &, llvm::StringRef) override {
    return std::make_unique<Counter>(counts_, messages_);
  }

private:
  Counts &counts_;
  const Messages messages_;
};

Counts countsOf(const char *program, Messages messages = Messages::None) {
  Counts counts;
  EXPECT_TRUE(clang::tooling::runToolOnCodeWithArgs(
      std::make_unique<Action>(counts, messages), program,
      {"-Xclang", "-fsycl-is-device", "-std=c++17", "--target=x86_64-pc-linux-gnu", "-nostdinc"}));
  return counts;
}

TEST(DeferredChecks, AreForgotten) {
  const Counts counts = countsOf("int f() { return 1; }\ntemplate <class T> T g(T x) { return x; }\n"
                                 "int h() { return g(2); }\n");
  EXPECT_EQ(counts.before, 3u); // f, h and g<int>
  EXPECT_EQ(counts.after, 0u);
}

TEST(DeferredChecks, StayWhileAMessageWaits) {
  const Counts counts = countsOf("int f() { return 1; }\n", Messages::One);
  EXPECT_EQ(counts.before, 1u);
  EXPECT_EQ(counts.after, 1u);
}

} // namespace
} // namespace assay::frontend
