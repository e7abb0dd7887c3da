#include "frontend/math_modes.h"

#include "frontend/syntax_visitor.h"
#include "frontend/view_file_system.h"
#include "support/text/diagnostic.h"

#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Pragma.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include <optional>

namespace assay::frontend {
namespace {

constexpr llvm::StringLiteral kSafeMath = "__assay_safe_math";

// --- the pragmas -------------------------------------------------------------------------------------------

class PragmaReader : public clang::PragmaHandler {
public:
  explicit PragmaReader(std::vector<MathModePragma> &pragmas) : PragmaHandler("fp"), pragmas_(pragmas) {}

  void HandlePragma(clang::Preprocessor &preprocessor, clang::PragmaIntroducer, clang::Token &fp) override {
    clang::Token what, open, mode, close;
    preprocessor.Lex(what);
    if (!what.is(clang::tok::identifier) || what.getIdentifierInfo()->getName() != "math_mode")
      return warn(preprocessor, what, "expected math_mode or contract in #pragma METAL fp");
    preprocessor.Lex(open);
    preprocessor.Lex(mode);
    preprocessor.Lex(close);
    const llvm::StringRef name =
        mode.is(clang::tok::identifier) ? mode.getIdentifierInfo()->getName() : llvm::StringRef();
    const bool safe = name == "safe";
    if (!open.is(clang::tok::l_paren) || !close.is(clang::tok::r_paren) ||
        !(safe || name == "relaxed" || name == "fast"))
      return warn(preprocessor, mode,
                  "expected (safe), (relaxed) or (fast) after math_mode; the pragma is ignored");
    const clang::SourceLocation at = preprocessor.getSourceManager().getExpansionLoc(fp.getLocation());
    pragmas_.push_back({at, {}, safe});
  }

private:
  static void warn(clang::Preprocessor &preprocessor, const clang::Token &token, const char *text) {
    clang::DiagnosticsEngine &diagnostics = preprocessor.getDiagnostics();
    diagnostics.Report(token.getLocation(),
                       diagnostics.getDiagnosticIDs()->getCustomDiagID(clang::DiagnosticIDs::Warning, text));
  }

  std::vector<MathModePragma> &pragmas_;
};

// Gives each pragma the end of the innermost block around it.
class BlockFinder : public SyntaxVisitor {
public:
  BlockFinder(const clang::SourceManager &sources, std::vector<MathModePragma> &pragmas)
      : sources_(sources), pragmas_(pragmas) {}

  bool VisitCompoundStmt(clang::CompoundStmt *block) override { // outer blocks before inner ones
    const clang::SourceLocation first = sources_.getExpansionLoc(block->getLBracLoc()),
                                last = sources_.getExpansionLoc(block->getRBracLoc());
    for (MathModePragma &pragma : pragmas_)
      if (sources_.isBeforeInTranslationUnit(first, pragma.where) &&
          sources_.isBeforeInTranslationUnit(pragma.where, last))
        pragma.end = last;
    return true;
  }

private:
  const clang::SourceManager &sources_;
  std::vector<MathModePragma> &pragmas_;
};

// --- the calls ---------------------------------------------------------------------------------------------

bool isOfShim(const llvm::Function &function) {
  const llvm::DISubprogram *subprogram = function.getSubprogram();
  return subprogram && isShimPath(subprogram->getFilename());
}

llvm::SmallVector<llvm::CallBase *> callsIn(llvm::Function &function) {
  llvm::SmallVector<llvm::CallBase *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && call->getCalledFunction())
      calls.push_back(call);
  return calls;
}

// Finds a debug location in Clang's source manager.
class Places {
public:
  explicit Places(clang::SourceManager &sources) : sources_(sources) {}

  clang::SourceLocation find(const llvm::DILocation &at) {
    const auto [entry, isNew] = files_.try_emplace(at.getFilename());
    if (isNew)
      if (const auto file = sources_.getFileManager().getOptionalFileRef(at.getFilename()))
        entry->second = sources_.translateFile(*file);
    return entry->second.isValid() ? sources_.translateLineCol(entry->second, at.getLine(), at.getColumn())
                                   : clang::SourceLocation();
  }

private:
  clang::SourceManager &sources_;
  llvm::StringMap<clang::FileID> files_;
};

class Resolver {
public:
  explicit Resolver(llvm::Function &question) : question_(question) {
    // Follows calls backwards, only through functions of the shim.
    askers_.insert(&question);
    for (size_t i = 0; i < askers_.size(); ++i)
      for (llvm::User *user : askers_[i]->users())
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(user); call && isOfShim(*call->getFunction()))
          askers_.insert(call->getFunction());
  }

  bool asks(llvm::Function *function) const { return askers_.contains(function); }

  /// A copy of a function of the shim in which it and all that it calls get one answer.
  llvm::Function *copyFor(llvm::Function &function, bool safe) {
    llvm::Function *&copy = copies_[&function];
    if (copy)
      return copy;
    llvm::ValueToValueMapTy map;
    copy = llvm::CloneFunction(&function, map);
    copy->setName(function.getName() + (safe ? ".safe" : ".fast"));
    copy->setComdat(nullptr);
    copy->setLinkage(llvm::GlobalValue::InternalLinkage);
    for (llvm::CallBase *call : callsIn(*copy))
      if (call->getCalledFunction() != &question_ && asks(call->getCalledFunction()))
        call->setCalledFunction(copyFor(*call->getCalledFunction(), safe));
    answer(*copies_[&function], safe);
    return copies_[&function];
  }

  void answer(llvm::Function &function, bool safe) {
    bool found = false;
    for (llvm::CallBase *call : callsIn(function)) {
      if (call->getCalledFunction() != &question_)
        continue;
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), safe));
      call->eraseFromParent();
      found = true;
    }
    if (!found)
      return;
    for (llvm::BasicBlock &block : function)
      llvm::ConstantFoldTerminator(&block);
    llvm::removeUnreachableBlocks(function);
  }

private:
  llvm::Function &question_;
  llvm::SetVector<llvm::Function *> askers_;
  llvm::DenseMap<llvm::Function *, llvm::Function *> copies_;
};

} // namespace

void MathModes::watch(clang::Preprocessor &preprocessor) {
  pragmas_.clear();
  preprocessor.AddPragmaHandler("METAL", new PragmaReader(pragmas_)); // owned by the preprocessor
}

void MathModes::resolve(llvm::Module &module, clang::ASTContext &context) {
  llvm::Function *question = module.getFunction(kSafeMath);
  if (!question)
    return;
  Resolver resolver(*question);
  if (!pragmas_.empty()) {
    clang::SourceManager &sources = context.getSourceManager();
    BlockFinder finder(sources, pragmas_);
    for (clang::Decl *decl : context.getTranslationUnitDecl()->noload_decls()) // not the PCH's
      finder.TraverseDecl(decl);
    Places places(sources);
    // The last pragma that is before a place and reaches it is also the innermost.
    const auto modeAt = [&](clang::SourceLocation place) {
      bool safe = safe_;
      for (const MathModePragma &pragma : pragmas_)
        if (place.isValid() && sources.isBeforeInTranslationUnit(pragma.where, place) &&
            (pragma.end.isInvalid() || sources.isBeforeInTranslationUnit(place, pragma.end)))
          safe = pragma.safe;
      return safe;
    };
    llvm::SmallVector<llvm::Function *> program;
    for (llvm::Function &function : module)
      if (!function.isDeclaration() && !isOfShim(function))
        program.push_back(&function);
    for (llvm::Function *function : program)
      for (llvm::CallBase *call : callsIn(*function))
        if (resolver.asks(call->getCalledFunction()) && call->getDebugLoc() &&
            modeAt(places.find(*call->getDebugLoc())) != safe_)
          call->setCalledFunction(resolver.copyFor(*call->getCalledFunction(), !safe_));
  }
  llvm::SmallVector<llvm::Function *> functions;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      functions.push_back(&function);
  for (llvm::Function *function : functions)
    resolver.answer(*function, safe_);
  if (question->use_empty())
    question->eraseFromParent();
}

} // namespace assay::frontend
