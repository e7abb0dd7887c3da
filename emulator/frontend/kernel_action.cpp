#include "frontend/kernel_action.h"

#include "frontend/air_symbols.h"
#include "frontend/compile_limits.h"
#include "frontend/compiler_arguments.h"
#include "frontend/diagnostics.h"
#include "frontend/entry_wrappers.h"
#include "frontend/float_literals.h"
#include "frontend/half_casts.h"
#include "frontend/kernel_signatures.h"
#include "frontend/math_modes.h"
#include "frontend/metal_rules.h"
#include "frontend/nesting_limit.h"
#include "frontend/operator_fixes.h"
#include "frontend/program_checks.h"
#include "frontend/result_addresses.h"
#include "frontend/thread_words.h"
#include "frontend/undefined_constants.h"
#include "frontend/unwritten_variables.h"
#include "frontend/vector_contraction.h"
#include "frontend/wanted_kernels.h"

#include <clang/AST/ASTContext.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/Sema.h>

#include <algorithm>

namespace assay::frontend {
namespace {

// Macros whose value depends on the place, or on what was counted before it.
constexpr std::string_view kPlaceMacros[] = {"__LINE__",          "__FILE__",      "__COUNTER__",
                                             "__INCLUDE_LEVEL__", "__BASE_FILE__", "__FILE_NAME__",
                                             "__TIMESTAMP__"};

// Notes whether a macro asks for its place in the text.
class PlaceMacros : public clang::PPCallbacks {
public:
  explicit PlaceMacros(bool &used) : used_(used) {}
  void MacroExpands(const clang::Token &name, const clang::MacroDefinition &macro, clang::SourceRange,
                    const clang::MacroArgs *) override {
    if (macro.getMacroInfo() && macro.getMacroInfo()->isBuiltinMacro())
      used_ |= std::ranges::count(kPlaceMacros, std::string_view(name.getIdentifierInfo()->getName())) != 0;
  }

private:
  bool &used_;
};

// Reflection, then code generation, then the entry wrappers.
class KernelConsumer : public clang::MultiplexConsumer {
public:
  /// Takes ownership of the generator.
  KernelConsumer(clang::CodeGenerator *generator, const ViewFileSystem &files, const SourceRequest &request,
                 CompileLimits &limits, MathModes &modes, Product &product)
      : MultiplexConsumer(asList(generator)), generator_(generator), files_(files),
        language_(request.language), wanted_(request.kernels), isLinked_(request.isLinked), limits_(limits),
        modes_(modes), product_(product) {}

  clang::ASTMutationListener *GetASTMutationListener() override { return &listeners_; }

  void InitializeSema(clang::Sema &sema) override {
    sema_ = &sema;
    listeners_.begin(sema, language_);
    MultiplexConsumer::InitializeSema(sema);
    limits_.watch(sema);
  }
  void ForgetSema() override {
    sema_ = nullptr;
    MultiplexConsumer::ForgetSema();
  }

  // Code is generated at the end, from bodies whose vector operators have been contracted.
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    listeners_.parsed(group);
    contraction_.keep(group);
    return true;
  }
  // A function of the shim or of a beginning of the program, precompiled, whose body was read. It has been
  // changed already.
  void HandleInterestingDecl(clang::DeclGroupRef group) override {
    if (generating_)
      MultiplexConsumer::HandleInterestingDecl(group);
    else
      read_.insert(read_.end(), group.begin(), group.end());
  }

  void HandleTranslationUnit(clang::ASTContext &context) override {
    product_.wantsAirSymbols = bindAirSymbols(context, files_);
    if (product_.wantsAirSymbols)
      return;
    forgetLineNames(context.getSourceManager());
    if (clang::DiagnosticsEngine &diagnostics = context.getDiagnostics(); diagnostics.hasErrorOccurred()) {
      reportOperatorsWithoutClasses(context, files_);
      checkKernelSignatures(context, files_, *static_cast<DiagnosticCollector *>(diagnostics.getClient()));
      ThreadWords words(sema_->getPreprocessor());
      checkParameterSpaces(context, words, files_, language_);
      return;
    }
    checkProgram(*sema_, files_, language_, listeners_, contraction_.kept());
    product_.reflected = reflect(context, files_, contraction_.kept(), listeners_.asked());
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    defineConstants(context, files_, contraction_.kept());
    nameUnwrittenVariables(context, files_, contraction_.kept());
    contraction_.apply(*sema_);
    generate(context);
    if (context.getDiagnostics().hasErrorOccurred() || !generator_->GetModule())
      return;
    addEntryWrappers(*generator_, context, product_.reflected);
    product_.symbols = linkSymbols(*generator_, context, files_, isLinked_);
    product_.module.reset(generator_->ReleaseModule());
    castHalvesThroughFloat(*product_.module);
    castResultAddresses(*product_.module);
    modes_.resolve(*product_.module, context);
  }

private:
  // First what is generated when it is used, then what is always generated, by its place. So the order in the
  // module depends on the uses alone, and is one for a whole text and for one with a precompiled beginning.
  void generate(clang::ASTContext &context) {
    generating_ = true;
    MultiplexConsumer::HandleTopLevelDecl(clang::DeclGroupRef()); // those in classes
    const auto always = std::stable_partition(read_.begin(), read_.end(), [&](const clang::Decl *decl) {
      return !context.DeclMustBeEmitted(decl);
    });
    std::for_each(read_.begin(), always, [&](clang::Decl *decl) { give(decl); });
    for (const clang::DeclGroupRef &group : contraction_.kept())
      for (clang::Decl *decl : group)
        giveWhatIsUsed(decl);
    const clang::SourceManager &sources = context.getSourceManager();
    std::stable_sort(always, read_.end(), [&](const clang::Decl *a, const clang::Decl *b) {
      return sources.getFileOffset(sources.getFileLoc(a->getLocation())) <
             sources.getFileOffset(sources.getFileLoc(b->getLocation()));
    });
    std::for_each(always, read_.end(), [&](clang::Decl *decl) { give(decl); });
    for (const clang::DeclGroupRef &group : contraction_.kept())
      MultiplexConsumer::HandleTopLevelDecl(group);
    for (const clang::VarDecl *constant : product_.reflected.constants)
      if (constant->isImplicit()) // index_constants.h
        give(const_cast<clang::VarDecl *>(constant));
    MultiplexConsumer::HandleTranslationUnit(context);
  }

  void give(clang::Decl *decl) { MultiplexConsumer::HandleTopLevelDecl(clang::DeclGroupRef(decl)); }

  void giveWhatIsUsed(clang::Decl *decl) {
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(decl)) {
      for (clang::Decl *inner : llvm::cast<clang::DeclContext>(decl)->noload_decls())
        giveWhatIsUsed(inner);
    } else if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(decl)) {
      if (function->doesThisDeclarationHaveABody() && !function->isDependentContext() &&
          !function->getASTContext().DeclMustBeEmitted(function))
        give(function);
    }
  }

  static std::vector<std::unique_ptr<clang::ASTConsumer>> asList(clang::ASTConsumer *only) {
    std::vector<std::unique_ptr<clang::ASTConsumer>> list;
    list.emplace_back(only);
    return list;
  }

  clang::CodeGenerator *generator_;
  const ViewFileSystem &files_;
  const LanguageVersion language_;
  class Listeners : public ProgramListener {
  public:
    explicit Listeners(WantedKernels &wanted) : wanted_(wanted) {}
    void InstantiationRequested(const clang::ValueDecl *declaration) override {
      ProgramListener::InstantiationRequested(declaration);
      if (!wanted_.all())
        wanted_.InstantiationRequested(declaration);
    }

  private:
    WantedKernels &wanted_;
  };

  WantedKernels wanted_;
  const bool isLinked_;
  Listeners listeners_{wanted_};
  CompileLimits &limits_;
  MathModes &modes_;
  Product &product_;
  clang::Sema *sema_ = nullptr;
  VectorContraction contraction_;
  std::vector<clang::Decl *> read_; ///< of precompiled text
  bool generating_ = false;
};

class KernelAction : public clang::ASTFrontendAction {
public:
  KernelAction(llvm::LLVMContext &context, const ViewFileSystem &files, const SourceRequest &request,
               SpaceAliases &aliases, Product &product)
      : context_(context), files_(files), request_(request), aliases_(aliases), modes_(request.safeMath),
        product_(product) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override {
    auto *generator = clang::CreateLLVMCodeGen(
        compiler.getDiagnostics(), file, &compiler.getVirtualFileSystem(), compiler.getHeaderSearchOpts(),
        compiler.getPreprocessorOpts(), compiler.getCodeGenOpts(), context_);
    return std::make_unique<KernelConsumer>(generator, files_, request_, limits_, modes_, product_);
  }

  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    beginSource(compiler);
    limits_.watch(compiler.getPreprocessor());
    collectSpaceAliases(compiler.getPreprocessor(), aliases_);
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<PlaceMacros>(product_.asksPlaces));
    // The watcher gets the token object that the parser is about to receive; Clang has no other place to
    // change a token after macro expansion. A preprocessor has one watcher.
    compiler.getPreprocessor().setTokenWatcher(
        [this, floats = floatLiteralsAsSingle(),
         nesting = nestingLimit(compiler.getPreprocessor())](const clang::Token &seen) {
          auto &token = const_cast<clang::Token &>(seen);
          limits_.count(token);
          nesting(token);
          floats(token);
        });
    modes_.watch(compiler.getPreprocessor());
    return true;
  }

private:
  llvm::LLVMContext &context_;
  const ViewFileSystem &files_;
  const SourceRequest &request_;
  SpaceAliases &aliases_;
  CompileLimits limits_;
  MathModes modes_;
  Product &product_;
};

} // namespace

std::unique_ptr<clang::FrontendAction> kernelAction(llvm::LLVMContext &context, const ViewFileSystem &files,
                                                    const SourceRequest &request, SpaceAliases &aliases,
                                                    Product &product) {
  return std::make_unique<KernelAction>(context, files, request, aliases, product);
}

} // namespace assay::frontend
