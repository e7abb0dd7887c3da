#include "names.h"

#include "tokens.h"

#include <algorithm>
#include <stdexcept>

namespace assay::apple_headers {

namespace {

/// What precedes the last `::`; empty: the name is global.
std::string spaceOf(const std::string &name) {
  const size_t end = name.rfind("::");
  return end == name.npos ? "" : name.substr(0, end);
}

std::string qualified(const std::string &space, const std::string &name) {
  return space.empty() ? name : space + "::" + name;
}

/// A declaration's head up to its `=`, without brackets and what is in them. Parentheses stay, as one "(", if
/// they follow no word of an attribute. Empty: an operator.
Tokens withoutBrackets(const Tokens &tokens) {
  Tokens kept;
  for (size_t at = 0; at < tokens.size();) {
    const std::string &token = tokens[at];
    if (token == "operator")
      return {};
    if (token == "(") {
      const bool isAttribute =
          !kept.empty() && (kept.back() == "__attribute__" || kept.back() == "__declspec" ||
                            kept.back().starts_with("METAL_") || kept.back() == "coherent" ||
                            kept.back() == "decltype" || kept.back() == "alignas");
      if (isAttribute)
        kept.pop_back();
      else
        kept.push_back(token);
    } else if (token == "=") {
      kept.push_back(token);
      return kept;
    } else if (token != "[" && token != "<") {
      kept.push_back(token);
      ++at;
      continue;
    }
    at = afterBrackets(tokens, at);
  }
  std::erase_if(kept, [](const std::string &token) { return token.starts_with("METAL_"); });
  return kept;
}

class NameReader : TokenReader {
public:
  explicit NameReader(const std::string &text) : TokenReader(text) {}

  Names run() {
    readScope("");
    expectEnd();
    return std::move(found_);
  }

private:
  void keep(const std::string &space, const std::string &name) {
    const bool isReserved =
        name[0] == '_' || qualified(space, "").find("::_") != name.npos || space[0] == '_';
    if (!isReserved)
      found_.insert(qualified(space, name));
  }

  void readScope(const std::string &space) {
    while (!ended() && !see("}"))
      if (see(";"))
        ++at_;
      else if (see("inline") && at_ + 1 < tokens_.size() && tokens_[at_ + 1] == "namespace")
        ++at_;
      else if (see("namespace"))
        readNamespace(space);
      else
        readDeclaration(space);
  }

  void readNamespace(const std::string &space) {
    std::string name;
    for (++at_; !ended() && !see("{") && !see("=") && !see(";"); ++at_)
      name += tokens_[at_];
    keep(space, name);
    if (!see("{")) {
      while (!ended() && !see(";"))
        ++at_;
      return;
    }
    ++at_;
    readScope(qualified(space, name));
    if (!see("}"))
      throw std::runtime_error("the text ends inside of namespace " + name);
    ++at_;
  }

  /// One declaration, up to its body or semicolon. What follows a body is read as a declaration of its own:
  /// `x;` after `struct {..}`.
  void readDeclaration(const std::string &space) {
    while (see("template")) {
      ++at_;
      if (see("<"))
        skipBrackets();
    }
    const size_t first = at_;
    while (!ended() && !see(";") && !see("{") && !see("}"))
      if (see("(") || see("["))
        skipBrackets();
      else
        ++at_;
    const Tokens head = withoutBrackets(Tokens(tokens_.begin() + first, tokens_.begin() + at_));
    const std::string name = nameOf(head);
    if (!name.empty())
      keep(space, name);
    if (!see("{"))
      return;
    if (!head.empty() && head[0] == "enum" && head.size() > 1 && head[1] != "class" && head[1] != "struct")
      keepEnumerators(space);
    skipBrackets();
  }

  /// The name that a declaration declares; empty: none.
  static std::string nameOf(const Tokens &head) {
    const auto lastWord = [&](size_t end) {
      return end > 0 && isWord(head[end - 1]) ? head[end - 1] : std::string();
    };
    if (head.empty() || head[0] == "static_assert")
      return {};
    const size_t parenthesis = std::ranges::find(head, "(") - head.begin();
    const size_t equals = std::ranges::find(head, "=") - head.begin();
    if (head[0] == "using")
      return head.size() > 1 && head[1] == "namespace" ? "" : lastWord(equals);
    if (head[0] == "typedef")
      return lastWord(head.size());
    if (head[0] == "struct" || head[0] == "class" || head[0] == "union" || head[0] == "enum") {
      const size_t at = head.size() > 1 && (head[1] == "class" || head[1] == "struct") ? 2 : 1;
      return head.size() > at && isWord(head[at]) ? head[at] : "";
    }
    return lastWord(std::min(parenthesis, equals));
  }

  /// at_ is at the brace before the enumerators, and stays there.
  void keepEnumerators(const std::string &space) {
    const size_t end = afterBrackets(tokens_, at_);
    for (size_t at = at_ + 1; at + 1 < end;) {
      keep(space, tokens_[at]);
      while (at + 1 < end && tokens_[at] != ",")
        at = tokens_[at] == "(" || tokens_[at] == "{" ? afterBrackets(tokens_, at) : at + 1;
      ++at;
    }
  }

  Names found_;
};

} // namespace

Names readNames(const std::string &preprocessed) {
  return NameReader(preprocessed).run();
}

std::vector<NameDifference> nameDifferences(const Names &apples, const Names &ours) {
  std::vector<NameDifference> differences;
  for (const std::string &name : ours) {
    const std::string space = spaceOf(name);
    if (apples.contains(name) || (!space.empty() && !apples.contains(space)))
      continue;
    const bool isInMetal = space.empty() && apples.contains("metal::" + name);
    differences.push_back(
        {name, isInMetal ? "is global, which Apple's is in namespace metal alone" : "is not Apple's"});
  }
  for (const std::string &name : apples)
    if (!ours.contains(name))
      differences.push_back({name, "is missing"});
  std::ranges::sort(differences, {}, &NameDifference::name);
  return differences;
}

} // namespace assay::apple_headers
