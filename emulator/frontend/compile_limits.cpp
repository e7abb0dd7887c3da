#include "frontend/compile_limits.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Lex/LexDiagnostic.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/TemplateInstCallback.h>

#include <fmt/format.h>

#include <memory>

namespace assay::frontend {
namespace {

// The largest known sources need 407,000 tokens and 13,000 macros (MLX), and 2,300,000 template
// instantiations and related steps (ggml). A template that instantiates two of itself reaches the limit at
// 1.4 GB.
constexpr uint64_t kMaxTokens = 20'000'000, kMaxMacros = 5'000'000, kMaxTemplates = 3'000'000;

// Clang counts the arguments of a template in 16 bits, and has one for each character (constant_strings.h).
constexpr uint64_t kMaxConstantText = 65'535;

} // namespace

struct MacroCounter : clang::PPCallbacks {
  explicit MacroCounter(CompileLimits &limits) : limits_(limits) {}
  void MacroExpands(const clang::Token &name, const clang::MacroDefinition &, clang::SourceRange,
                    const clang::MacroArgs *) override {
    if (++limits_.macros_ > kMaxMacros)
      limits_.stop(name.getLocation(), "macros are expanded", kMaxMacros);
  }
  CompileLimits &limits_;
};

struct TemplateCounter : clang::TemplateInstantiationCallback {
  explicit TemplateCounter(CompileLimits &limits) : limits_(limits) {}
  void initialize(const clang::Sema &) override {}
  void finalize(const clang::Sema &) override {}
  void atTemplateBegin(const clang::Sema &, const clang::Sema::CodeSynthesisContext &context) override {
    if (++limits_.templates_ > kMaxTemplates)
      limits_.stop(context.PointOfInstantiation, "templates are instantiated", kMaxTemplates);
  }
  void atTemplateEnd(const clang::Sema &, const clang::Sema::CodeSynthesisContext &) override {}
  CompileLimits &limits_;
};

void CompileLimits::watch(clang::Preprocessor &preprocessor) {
  preprocessor_ = &preprocessor;
  preprocessor.addPPCallbacks(std::make_unique<MacroCounter>(*this));
}

void CompileLimits::watch(clang::Sema &sema) {
  sema.TemplateInstCallbacks.push_back(std::make_unique<TemplateCounter>(*this));
}

void CompileLimits::count(clang::Token &token) {
  if (++tokens_ > kMaxTokens)
    stop(token.getLocation(), "tokens are parsed", kMaxTokens);
  constantText_ =
      token.is(clang::tok::string_literal) && token.hasUDSuffix() ? constantText_ + token.getLength() : 0;
  if (constantText_ > kMaxConstantText)
    stop(token.getLocation(), "characters are in one string in constant memory", kMaxConstantText);
  if (stopped_ && token.isNot(clang::tok::eof)) {
    token.startToken();
    token.setKind(clang::tok::eof);
  }
}

void CompileLimits::stop(clang::SourceLocation where, const char *what, uint64_t limit) {
  if (stopped_)
    return;
  stopped_ = true;
  stopCompilation(preprocessor_->getDiagnostics(), where,
                  fmt::format("this source is too much to compile: more than {} {}", limit, what));
}

void stopCompilation(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                     const std::string &message) {
  // Clang stops instantiating templates only after one of its own fatal errors; #error's accepts any text.
  diagnostics.setSeverity(clang::diag::err_pp_hash_error, clang::diag::Severity::Fatal, {});
  diagnostics.Report(where, clang::diag::err_pp_hash_error) << message;
}

} // namespace assay::frontend
