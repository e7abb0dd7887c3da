// Parses, checks and precompiles the beginning of a source; see precompiled_prefix.h.
#include "frontend/precompiled_prefix.h"

#include "frontend/air_symbols.h"
#include "frontend/annotations.h"
#include "frontend/compile_fixes.h"
#include "frontend/compiler_arguments.h"
#include "frontend/deferred_checks.h"
#include "frontend/diagnostics.h"
#include "frontend/early_instantiations.h"
#include "frontend/float_literals.h"
#include "frontend/nesting_limit.h"
#include "frontend/program_checks.h"
#include "frontend/space_alias_macros.h"
#include "frontend/undefined_constants.h"
#include "frontend/unwritten_variables.h"
#include "frontend/user_code.h"
#include "frontend/vector_contraction.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Sema/SemaConsumer.h>
#include <clang/Serialization/ASTWriter.h>
#include <clang/Serialization/PCHContainerOperations.h>

#include <algorithm>

namespace assay::frontend {
namespace {

// Finds what cannot be kept: declarations that the reflection lists or that code is always generated for.
// Plain functions are the exception: the code generator is given them first, as in the whole program.
class Contents : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  /// The line of the first; 0 if there is none.
  uint32_t firstLine(const Declarations &declarations,
                     const std::vector<const clang::FunctionDecl *> &asked) {
    visitUsers();
    for (const clang::FunctionDecl *function : asked)
      found(function->getPointOfInstantiation());
    for (const clang::DeclGroupRef &group : declarations)
      for (const clang::Decl *decl : group)
        if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(decl);
            function &&
            function->getTemplateSpecializationKind() == clang::TSK_ExplicitInstantiationDefinition)
          found(function->getPointOfInstantiation());
    return line_;
  }

  bool TraverseTypeLoc(clang::TypeLoc) override { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (!llvm::isa<clang::CXXMethodDecl>(function) && !function->isDependentContext() &&
        function->hasAttr<clang::AnnotateAttr>())
      found(function->getBeginLoc());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (variable->isFileVarDecl() && !llvm::isa<clang::ParmVarDecl>(variable) &&
        !variable->getDeclContext()->isDependentContext() && !variable->getDescribedVarTemplate() &&
        (variable->hasAttr<clang::AnnotateAttr>() || context_.DeclMustBeEmitted(variable)))
      found(variable->getBeginLoc());
    return true;
  }

private:
  void found(clang::SourceLocation where) {
    const auto [file, offset] = sources_.getDecomposedLoc(sources_.getFileLoc(where));
    const uint32_t line = sources_.getLineNumber(file, offset);
    line_ = line_ ? std::min(line_, line) : line;
  }

  uint32_t line_ = 0;
};

struct Outcome {
  bool fits = false;
  uint32_t line = 0; ///< of the first thing that does not
};

class PrefixConsumer : public clang::SemaConsumer {
public:
  PrefixConsumer(const ViewFileSystem &files, LanguageVersion language, Outcome &outcome)
      : files_(files), language_(language), outcome_(outcome) {}

  clang::ASTMutationListener *GetASTMutationListener() override { return &listener_; }
  void InitializeSema(clang::Sema &sema) override {
    sema_ = &sema;
    listener_.begin(sema, language_);
  }
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    listener_.parsed(group);
    contraction_.keep(group);
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext &context) override {
    const clang::DiagnosticsEngine &diagnostics = context.getDiagnostics();
    if (diagnostics.hasErrorOccurred() || bindAirSymbols(context, files_))
      return;
    outcome_.line = Contents(context, files_).firstLine(contraction_.kept(), listener_.asked());
    forgetLineNames(context.getSourceManager());
    checkProgram(*sema_, files_, language_, listener_, contraction_.kept());
    if (diagnostics.hasErrorOccurred())
      return;
    defineConstants(context, files_, contraction_.kept());
    nameUnwrittenVariables(context, files_, contraction_.kept());
    contraction_.apply(*sema_, [&] { instantiateOfShim(*sema_, files_); });
    forgetDeferredChecks(*sema_);
    outcome_.fits = outcome_.line == 0;
  }

private:
  const ViewFileSystem &files_;
  const LanguageVersion language_;
  Outcome &outcome_;
  ProgramListener listener_;
  VectorContraction contraction_;
  clang::Sema *sema_ = nullptr;
};

class PrefixAction : public clang::ASTFrontendAction {
public:
  PrefixAction(const ViewFileSystem &files, LanguageVersion language, SpaceAliases &aliases, Outcome &outcome,
               std::shared_ptr<clang::PCHBuffer> buffer)
      : files_(files), language_(language), aliases_(aliases), outcome_(outcome), buffer_(std::move(buffer)) {
  }

  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<PrefixConsumer>(files_, language_, outcome_));
    consumers.push_back(std::make_unique<clang::PCHGenerator>(
        compiler.getPreprocessor(), compiler.getModuleCache(), std::string(kPrefixPath), "", buffer_,
        llvm::ArrayRef<std::shared_ptr<clang::ModuleFileExtension>>(), false, /*IncludeTimestamps=*/false));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    beginSource(compiler);
    collectSpaceAliases(compiler.getPreprocessor(), aliases_);
    compiler.getPreprocessor().setTokenWatcher(
        [floats = floatLiteralsAsSingle(),
         nesting = nestingLimit(compiler.getPreprocessor())](const clang::Token &seen) {
          auto &token = const_cast<clang::Token &>(seen);
          nesting(token);
          floats(token);
        });
    return true;
  }

private:
  const ViewFileSystem &files_;
  const LanguageVersion language_;
  SpaceAliases &aliases_;
  Outcome &outcome_;
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

// Also notes the line of the first error or warning in the source, without regard to #line.
class LineCollector : public DiagnosticCollector {
public:
  using DiagnosticCollector::DiagnosticCollector;

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
    DiagnosticCollector::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Warning || line || info.getLocation().isInvalid() ||
        !info.hasSourceManager())
      return;
    const clang::SourceManager &sources = info.getSourceManager();
    const auto [file, offset] = sources.getDecomposedLoc(sources.getFileLoc(info.getLocation()));
    if (file == sources.getMainFileID())
      line = sources.getLineNumber(file, offset);
  }

  uint32_t line = 0;
};

struct Run {
  std::string precompiled;
  SpaceAliases aliases;
  Outcome outcome;
  bool silent = false;
};

Run runOnce(const SourceRequest &request, const llvm::IntrusiveRefCntPtr<ViewFileSystem> &files,
            CompileFixes &fixes) {
  Run result;
  LineCollector collector(*files, fixes);
  clang::CompilerInstance compiler;
  if (prepareCompiler(compiler, request, PreludeForm::Precompiled, {}, collector, files)) {
    overrideSource(compiler, request.path, files->read(request.path)->text());
    const auto buffer = std::make_shared<clang::PCHBuffer>();
    PrefixAction action(*files, request.language, result.aliases, result.outcome, buffer);
    if (compiler.ExecuteAction(action) && buffer->IsComplete && !collector.refused())
      result.precompiled.assign(buffer->Data.begin(), buffer->Data.end());
  }
  if (collector.line)
    result.outcome.line =
        result.outcome.line ? std::min(result.outcome.line, collector.line) : collector.line;
  result.silent = collector.take().empty();
  return result;
}

} // namespace

MadePrefix makePrefix(const SourceRequest &request, uint32_t bytes, const std::string &shim) {
  SourceRequest beginning = request;
  beginning.text = request.text->substr(0, bytes);
  const auto files = llvm::makeIntrusiveRefCnt<ViewFileSystem>();
  files->addText(beginning.path, *beginning.text);
  files->addPrecompiled(shim);
  constexpr unsigned kMostRuns = 6; // a repair may reveal the next
  CompileFixes fixes;
  MadePrefix made;
  for (unsigned n = 0; n < kMostRuns; ++n) {
    Run done = runOnce(beginning, files, fixes);
    made.line = done.outcome.line;
    if (files->setAliases(done.aliases)) {
      fixes = {}; // what was found in the other text
      continue;
    }
    if (done.silent && done.outcome.fits && !done.precompiled.empty()) {
      made.prefix = SourcePrefix{*beginning.text, files->read(beginning.path)->text(),
                                 files->insertions(beginning.path), std::move(done.aliases),
                                 std::move(done.precompiled)};
      break;
    }
    if (done.silent || fixes.apply(*files) != CompileFixes::Applied::Repairs)
      break;
  }
  return made;
}

} // namespace assay::frontend
