#include "frontend/space_aliases.h"

#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

namespace assay::frontend {
namespace {

bool isSpace(std::string_view word) {
  return word == "thread" || word == "device" || word == "constant" || word == "threadgroup";
}

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

std::string_view spaceWord(std::string_view text, const SpaceAliases &aliases) {
  const auto alias = aliases.find(text);
  return alias == aliases.end() || alias->second.empty() ? text : alias->second;
}

void addSpaceAlias(SpaceAliases &aliases, std::string_view name, const std::vector<std::string> &body) {
  std::string space;
  for (const std::string &part : body) {
    const std::string_view word = spaceWord(part, aliases);
    if (isSpace(word) && space.empty())
      space = word;
    else if (word != "const" && word != "volatile")
      return;
  }
  if (space.empty())
    return;
  const auto [alias, first] = aliases.emplace(name, space);
  if (!first && alias->second != space)
    alias->second.clear();
}

void collectSpaceAliases(clang::Preprocessor &preprocessor, SpaceAliases &aliases) {
  preprocessor.addPPCallbacks(std::make_unique<Collector>(aliases));
}

} // namespace assay::frontend
