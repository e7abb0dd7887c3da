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
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/TokenConcatenation.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace assay::frontend {
namespace {

// What rules of view_edits.cpp begin with.
bool isWordOfTheView(llvm::StringRef word) {
  const bool number = word[0] == '.' || (word[0] >= '0' && word[0] <= '9');
  return word == "thread" || word == "device" || word == "constant" || word == "threadgroup" ||
         word == "coherent" || word == "double" || word == "typedef" || word == "using" ||
         word == "ext_vector_type" || word == "__ext_vector_type__" ||
         (number && (word.ends_with("bf") || word.ends_with("BF") || word.ends_with("H")));
}

// One use of a macro in a file, in one inclusion of it.
struct Use {
  uint32_t end = 0; ///< offset after its last token
  std::string text = {};
  bool wanted = false; ///< holds something for the view
};

// `_Pragma` in a macro's expansion: the preprocessor gives its tokens to a handler, and none to the parser.
class PragmaText : public clang::PragmaHandler {
public:
  using Put = std::function<void(clang::SourceLocation, const std::string &text)>;
  // `space`: of the pragmas, such as "clang"; empty for those without one.
  PragmaText(std::string space, Put put) : space_(std::move(space)), put_(std::move(put)) {}

  void HandlePragma(clang::Preprocessor &preprocessor, clang::PragmaIntroducer introducer,
                    clang::Token &token) override {
    std::string text = space_;
    for (; token.isNot(clang::tok::eod); preprocessor.LexUnexpandedToken(token)) {
      if (!text.empty() && (text == space_ || token.hasLeadingSpace()))
        text += ' ';
      text += preprocessor.getSpelling(token);
    }
    if (introducer.Kind == clang::PIK_HashPragma || !introducer.Loc.isMacroID())
      return;
    std::string escaped;
    for (char c : text)
      (c == '"' || c == '\\' ? escaped += '\\' : escaped) += c;
    put_(introducer.Loc, "_Pragma(\"" + escaped + "\")");
  }

private:
  const std::string space_;
  const Put put_;
};

class Expansions : public clang::PPCallbacks {
public:
  explicit Expansions(clang::Preprocessor &preprocessor)
      : preprocessor_(preprocessor), sources_(preprocessor.getSourceManager()), between_(preprocessor) {}

  // The view knows the shim's macros by their names.
  void MacroDefined(const clang::Token &name, const clang::MacroDirective *directive) override {
    const clang::SourceLocation where = sources_.getSpellingLoc(name.getLocation());
    if (isShimPath(sources_.getFilename(where)) && !name.getIdentifierInfo()->getName().starts_with("__"))
      const_cast<clang::MacroInfo *>(directive->getMacroInfo())->DisableMacro();
  }

  // __COUNTER__ counts again where what is left of the program is preprocessed again: each use of it is
  // replaced, or nothing is.
  void MacroExpands(const clang::Token &name, const clang::MacroDefinition &, clang::SourceRange,
                    const clang::MacroArgs *) override {
    if (name.getIdentifierInfo()->getName() == "__COUNTER__")
      counted_.insert(placeOf(name.getLocation()));
  }

  void add(const clang::Token &token) {
    const bool joined = !token.hasLeadingSpace() && !token.isAtStartOfLine();
    const clang::Token last = std::exchange(last_, token), beforeLast = std::exchange(beforeLast_, last);
    if (!token.getLocation().isMacroID()) {
      if (token.is(clang::tok::identifier))
        plain_.insert(placeOf(token.getLocation()));
      return;
    }
    Use *use = useAt(token.getLocation());
    if (!use)
      return;
    const std::string spelling = preprocessor_.getSpelling(token);
    if (!use->text.empty() && (!joined || between_.AvoidConcat(beforeLast, last, token)))
      use->text += ' ';
    const bool attribute = joined && spelling == "[" && use->text.ends_with("[");
    use->text += spelling;
    use->wanted |= attribute || isWordOfTheView(spelling);
  }

  void addPragma(clang::SourceLocation where, const std::string &text) {
    if (Use *use = useAt(where))
      use->text += (use->text.empty() ? "" : " ") + text;
  }

  std::map<std::string, std::vector<Edit>> edits() const {
    std::map<std::string, std::vector<Edit>> all;
    if (preprocessor_.getDiagnostics().hasFatalErrorOccurred())
      return all;
    size_t counted = 0;
    for (const auto &[path, places] : uses_) {
      std::vector<Edit> edits;
      uint32_t last = 0;
      for (const auto &[begin, inclusions] : places) {
        const Use &use = inclusions.begin()->second;
        if (begin < last || plain_.contains({path, begin}) || !isOne(inclusions))
          continue;
        // Places of the counter in this use, which may be among the arguments.
        const auto counts =
            size_t(std::distance(counted_.lower_bound({path, begin}), counted_.lower_bound({path, use.end})));
        if (!isWanted(inclusions) && counts == 0)
          continue;
        edits.push_back({begin, use.end - begin, use.text});
        counted += counts;
        last = use.end;
      }
      if (!edits.empty())
        all[path] = std::move(edits);
    }
    return counted == counted_.size() ? all : std::map<std::string, std::vector<Edit>>();
  }

private:
  using Place = std::pair<std::string, uint32_t>;  // a file and an offset
  using Inclusions = std::map<clang::FileID, Use>; // what a place expands to in each

  static bool isWanted(const Inclusions &inclusions) {
    return std::ranges::any_of(inclusions, [](const auto &use) { return use.second.wanted; });
  }
  // A view of a file serves all of its inclusions.
  static bool isOne(const Inclusions &inclusions) {
    const Use &first = inclusions.begin()->second;
    return std::ranges::all_of(inclusions, [&](const auto &use) {
      return use.second.end == first.end && use.second.text == first.text;
    });
  }

  Place placeOf(clang::SourceLocation location) const {
    location = sources_.getExpansionLoc(location);
    return {sources_.getFilename(location).str(), sources_.getFileOffset(location)};
  }

  // The use of a macro in a user's file that a token comes from; null if there is none.
  Use *useAt(clang::SourceLocation location) {
    const clang::CharSourceRange range = sources_.getExpansionRange(location);
    const auto [file, begin] = sources_.getDecomposedLoc(range.getBegin());
    const auto [endFile, lastToken] = sources_.getDecomposedLoc(range.getEnd());
    const std::string path = sources_.getFilename(range.getBegin()).str();
    if (file != endFile || lastToken < begin || path.empty() || isShimPath(path))
      return nullptr;
    Use &use = uses_[path][begin][file];
    use.end = std::max(use.end, lastToken + clang::Lexer::MeasureTokenLength(range.getEnd(), sources_,
                                                                             preprocessor_.getLangOpts()));
    return &use;
  }

  clang::Preprocessor &preprocessor_;
  const clang::SourceManager &sources_;
  clang::TokenConcatenation between_;
  clang::Token last_ = noToken(), beforeLast_ = noToken();
  std::map<std::string, std::map<uint32_t, Inclusions>> uses_; ///< by file and offset
  std::set<Place> counted_; ///< uses of macros with __COUNTER__ in their expansion
  std::set<Place> plain_;   ///< identifiers that were not macros, in some inclusion

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
    const auto put = [&](clang::SourceLocation where, const std::string &text) {
      expansions.addPragma(where, text);
    };
    for (const char *space : {"", "clang", "GCC"})
      preprocessor.AddPragmaHandler(space, new PragmaText(space, put)); // the preprocessor owns it
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
