#include "frontend/space_alias_macros.h"

#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

namespace assay::frontend {
namespace {

class Collector : public clang::PPCallbacks {
public:
  explicit Collector(SpaceAliases &aliases) : aliases_(aliases) {}

  void MacroDefined(const clang::Token &name, const clang::MacroDirective *directive) override {
    const clang::MacroInfo *macro = directive->getMacroInfo();
    if (!macro->isObjectLike())
      return;
    std::vector<std::string> body;
    for (const clang::Token &token : macro->tokens()) {
      const clang::IdentifierInfo *word = token.getIdentifierInfo();
      if (!word)
        return;
      body.push_back(word->getName().str());
    }
    addSpaceAlias(aliases_, std::string_view(name.getIdentifierInfo()->getName()), body);
  }

private:
  SpaceAliases &aliases_;
};

} // namespace

void collectSpaceAliases(clang::Preprocessor &preprocessor, SpaceAliases &aliases) {
  preprocessor.addPPCallbacks(std::make_unique<Collector>(aliases));
}

} // namespace assay::frontend
