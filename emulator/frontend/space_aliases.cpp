#include "frontend/space_aliases.h"

namespace assay::frontend {
namespace {

bool isSpace(std::string_view word) {
  return word == "thread" || word == "device" || word == "constant" || word == "threadgroup";
}

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

} // namespace assay::frontend
