#include "frontend/macro_expansions.h"

#include "frontend/compile_limits.h"
#include "frontend/compiler_arguments.h"
#include "frontend/shim_files.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/TokenConcatenation.h>

#include <algorithm>
#include <set>

namespace assay::frontend {
namespace {

// What rules of view_edits.cpp begin with.
bool isWordOfTheView(llvm::StringRef word) {
  const bool number = word[0] == '.' || (word[0] >= '0' && word[0] <= '9');
  return word == "thread" || word == "device" || word == "constant" || word == "threadgroup" ||
         word == "coherent" || word == "double" || word == "typedef" || word == "using" ||
         (number && (word.ends_with("bf") || word.ends_with("BF") || word.ends_with("H")));
}

// One use of a macro in a file.
struct Use {
  uint32_t end = 0; ///< offset after its last token
  std::string text = {};
  bool wanted = false; ///< holds something for the view
};

class Expansions : public clang::PPCallbacks {
public:
  explicit Expansions(clang::Preprocessor &preprocessor)
      : preprocessor_(preprocessor), sources_(preprocessor.getSourceManager()), between_(preprocessor) {}

  // The view knows the shim's macros by their names.
  void MacroDefined(const clang::Token &name, const clang::MacroDirective *directive) override {
    const clang::SourceLocation where = sources_.getSpellingLoc(name.getLocation());
    if (isShims(sources_.getFilename(where)) && !name.getIdentifierInfo()->getName().starts_with("__"))
      const_cast<clang::MacroInfo *>(directive->getMacroInfo())->DisableMacro();
  }

  void MacroExpands(const clang::Token &name, const clang::MacroDefinition &, clang::SourceRange,
                    const clang::MacroArgs *) override {
    counts_ |= name.getIdentifierInfo()->getName() == "__COUNTER__";
  }

  void PragmaDirective(clang::SourceLocation where, clang::PragmaIntroducerKind kind) override {
    if (kind != clang::PIK_HashPragma && where.isMacroID())
      pragmas_.insert(sources_.getExpansionLoc(where));
  }

  void FileChanged(clang::SourceLocation where, FileChangeReason reason, clang::SrcMgr::CharacteristicKind,
                   clang::FileID) override {
    if (reason == EnterFile && !entered_.insert(sources_.getFilename(where).str()).second)
      again_.insert(sources_.getFilename(where).str());
  }

  void add(const clang::Token &token) {
    const bool joined = !token.hasLeadingSpace() && !token.isAtStartOfLine();
    const clang::Token last = std::exchange(last_, token), beforeLast = std::exchange(beforeLast_, last);
    if (!token.getLocation().isMacroID())
      return;
    const clang::CharSourceRange range = sources_.getExpansionRange(token.getLocation());
    const auto [file, begin] = sources_.getDecomposedLoc(range.getBegin());
    const auto [endFile, lastToken] = sources_.getDecomposedLoc(range.getEnd());
    const std::string path = sources_.getFilename(range.getBegin()).str();
    if (file != endFile || lastToken < begin || path.empty() || isShims(path))
      return;
    Use &use = uses_[path][begin];
    const std::string spelling = preprocessor_.getSpelling(token);
    if (!use.text.empty() && (!joined || between_.AvoidConcat(beforeLast, last, token)))
      use.text += ' ';
    const bool attribute = joined && spelling == "[" && use.text.ends_with("[");
    use.text += spelling;
    use.wanted |= attribute || isWordOfTheView(spelling);
    use.end = std::max(use.end, lastToken + clang::Lexer::MeasureTokenLength(range.getEnd(), sources_,
                                                                             preprocessor_.getLangOpts()));
  }

  std::map<std::string, std::vector<Edit>> edits() const {
    std::map<std::string, std::vector<Edit>> all;
    if (counts_ || preprocessor_.getDiagnostics().hasFatalErrorOccurred())
      return all;
    for (const auto &[path, uses] : uses_) {
      if (again_.contains(path))
        continue;
      std::vector<Edit> edits;
      uint32_t last = 0;
      for (const auto &[begin, use] : uses) {
        if (!use.wanted || begin < last || hasPragma(path, begin))
          continue;
        edits.push_back({begin, use.end - begin, use.text});
        last = use.end;
      }
      if (!edits.empty())
        all[path] = std::move(edits);
    }
    return all;
  }

private:
  static bool isShims(llvm::StringRef path) {
    return path.starts_with(llvm::StringRef(kShimRoot.data(), kShimRoot.size()));
  }
  bool hasPragma(const std::string &path, uint32_t begin) const {
    return std::any_of(pragmas_.begin(), pragmas_.end(), [&](clang::SourceLocation where) {
      return sources_.getFileOffset(where) == begin && sources_.getFilename(where) == path;
    });
  }

  clang::Preprocessor &preprocessor_;
  const clang::SourceManager &sources_;
  clang::TokenConcatenation between_;
  clang::Token last_ = noToken(), beforeLast_ = noToken();
  std::map<std::string, std::map<uint32_t, Use>> uses_; ///< by file and offset
  std::set<clang::SourceLocation> pragmas_;
  std::set<std::string> entered_, again_;
  bool counts_ = false;

  static clang::Token noToken() {
    clang::Token token;
    token.startToken();
    return token;
  }
};

class ExpandAction : public clang::PreprocessorFrontendAction {
public:
  explicit ExpandAction(std::map<std::string, std::vector<Edit>> &edits) : edits_(edits) {}

protected:
  void ExecuteAction() override {
    clang::Preprocessor &preprocessor = getCompilerInstance().getPreprocessor();
    auto owned = std::make_unique<Expansions>(preprocessor);
    Expansions &expansions = *owned;
    preprocessor.addPPCallbacks(std::move(owned));
    CompileLimits limits;
    limits.watch(preprocessor);
    preprocessor.IgnorePragmas();
    preprocessor.EnterMainSourceFile();
    clang::Token token;
    for (preprocessor.Lex(token); token.isNot(clang::tok::eof); preprocessor.Lex(token)) {
      limits.count(token);
      if (token.is(clang::tok::eof))
        return;
      expansions.add(token);
    }
    edits_ = expansions.edits();
  }

private:
  std::map<std::string, std::vector<Edit>> &edits_;
};

} // namespace

std::map<std::string, std::vector<Edit>> macroExpansions(const SourceRequest &request) {
  std::map<std::string, std::vector<Edit>> edits;
  auto files = llvm::makeIntrusiveRefCnt<ViewFileSystem>(ViewFileSystem::Reads::Originals);
  if (request.text)
    files->addText(request.path, *request.text);
  clang::CompilerInstance compiler;
  clang::IgnoringDiagConsumer ignored;
  if (!prepareCompiler(compiler, request, PreludeForm::Text, {}, ignored, files))
    return edits;
  ExpandAction action(edits);
  compiler.ExecuteAction(action);
  return edits;
}

} // namespace assay::frontend
