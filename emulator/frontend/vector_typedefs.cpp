#include "frontend/vector_typedefs.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::frontend {
namespace {

using Place = TokenEdit::Place;

class Declaration {
public:
  Declaration(const std::vector<RawToken> &tokens, const std::vector<size_t> &closers)
      : tokens_(tokens), closers_(closers) {}

  std::vector<TokenEdit> edits(size_t keyword, size_t begin) {
    const bool read = tokens_[keyword].is("typedef") ? readTypedef(keyword, begin) : readAlias(keyword);
    if (!read || !findType())
      return {};
    const bool all = !specifiers_.length.empty();
    const auto own = [](const Part &part) { return !part.length.empty(); };
    if (all == std::ranges::any_of(declarators_, own))
      return {}; // no vector, or vectors of vectors
    if (std::ranges::any_of(declarators_, [&](const Part &part) { return own(part) && part.compound; }))
      return {}; // a vector of pointers
    const auto lengthOf = [&](size_t i) { return (all ? specifiers_ : declarators_[i]).length; };
    if (const std::string first = lengthOf(0); !first.empty()) {
      edits_.push_back({typeFirst_, typeFirst_, kBefore, Place::Before});
      edits_.push_back({typeLast_, typeLast_, after(first), Place::After});
    }
    for (size_t i = 1; i < declarators_.size(); ++i)
      if (lengthOf(i) != lengthOf(i - 1))
        edits_.push_back({declarators_[i].begin - 1, declarators_[i].begin - 1,
                          "; " + specifiersOf(lengthOf(i)), Place::Instead});
    return edits_;
  }

private:
  static constexpr const char *kBefore = "metal::vec<";
  static std::string after(const std::string &length) { return fmt::format(", ({})>", length); }

  // The specifiers, or one declarator.
  struct Part {
    size_t begin = 0, end = 0;
    std::string length;    // of the vector; empty: none
    bool compound = false; // a pointer, a reference, an array or a function
  };

  const RawToken &at(size_t i) const { return tokens_[std::min(i, tokens_.size() - 1)]; }
  bool isGnu(size_t i) const { return at(i).isAny({"__attribute__", "__attribute"}) && at(i + 1).is("("); }
  bool isAttribute(size_t i) const { return isGnu(i) || (at(i).is("[") && at(i + 1).is("[")); }

  // Whether a directive begins or ends here, or the text ends.
  bool isBorder(size_t i) const {
    const RawToken &t = at(i);
    return t.kind == TokenKind::End || t.inDirective != tokens_[keyword_].inDirective ||
           (t.inDirective && t.startsLine);
  }
  // Whether the declaration cannot go on here.
  bool leaves(size_t i) const { return isBorder(i) || at(i).isAny({"{", "}", "typedef", "using"}); }
  // In a macro's body it may lack its semicolon.
  bool ends(size_t i) const { return at(i).is(";") || (tokens_[keyword_].inDirective && isBorder(i)); }

  // The token after the one at `i`, or after its group; kNone if the group has no end.
  size_t next(size_t i) const {
    const size_t open = isGnu(i) ? i + 1 : i;
    size_t close = open;
    if (opensGroup(at(open)))
      close = closers_[open];
    else if (at(open).is("<"))
      close = closingAngle(tokens_, open);
    return close == kNone ? kNone : close + 1;
  }

  // Takes a vector's attribute out of the group at `i`. Returns whether the group can be read.
  bool attribute(size_t i, Part &part) {
    const size_t end = next(i);
    for (size_t k = i + 2; isGnu(i) && k < end; ++k) {
      if (!isVectorAttribute(tokens_, k))
        continue;
      const size_t close = closers_[k + 1];
      if (close == kNone || close >= end || !part.length.empty() || close == k + 2)
        return false;
      part.length = spelledTokens(tokens_, k + 2, close);
      const bool alone = k == i + 3 && close + 3 == end;
      edits_.push_back({alone ? i : k, alone ? end - 1 : close, "", Place::Instead});
      k = close;
    }
    return true;
  }

  bool readTypedef(size_t keyword, size_t begin) {
    keyword_ = keyword;
    specifiers_.begin = keyword;
    const auto follows = [&](size_t i) { return tokens_[i].inDirective == tokens_[keyword].inDirective; };
    while (specifiers_.begin > begin && follows(specifiers_.begin - 1)) {
      size_t before = specifiers_.begin - 1;
      if (tokens_[before].is(")"))
        while (before > begin && closers_[before] != specifiers_.begin - 1)
          --before;
      const bool attributes = before > begin && isGnu(before - 1);
      if (!attributes && !isTypeQualifier(tokens_[before]))
        break;
      specifiers_.begin = attributes ? before - 1 : before;
    }
    Part declarator{specifiers_.begin, 0, {}, false};
    std::vector<Part> parts;
    size_t i = specifiers_.begin;
    for (; i != kNone && !ends(i); i = next(i)) {
      if (leaves(i) && i != keyword)
        return false;
      if (at(i).is(",")) {
        declarator.end = i;
        parts.push_back(declarator);
        declarator.begin = i + 1;
      }
    }
    if (i == kNone)
      return false;
    declarator.end = i;
    parts.push_back(declarator);
    specifiers_.end = parts[0].begin = firstDeclarator(parts[0].end);
    if (specifiers_.end == kNone || !readAttributes(specifiers_))
      return false;
    declarators_ = std::move(parts);
    return std::ranges::all_of(declarators_, [&](Part &part) { return readAttributes(part); });
  }

  // `using name = type;`: the type's pointers and bounds are the declarator.
  bool readAlias(size_t keyword) {
    keyword_ = keyword;
    size_t equals = keyword + 1;
    for (; equals != kNone && !at(equals).is("="); equals = next(equals))
      if (leaves(equals) || at(equals).is(";"))
        return false;
    if (equals == kNone)
      return false;
    size_t end = equals + 1, pointer = kNone;
    for (; end != kNone && !ends(end); end = next(end)) {
      if (leaves(end))
        return false;
      if (pointer == kNone && !isAttribute(end) &&
          (isPointer(end) || at(end).is("[") || opensDeclarator(end)))
        pointer = end;
    }
    if (end == kNone)
      return false;
    Part name{keyword + 1, equals, {}, false};
    specifiers_ = {equals + 1, std::min(pointer, end), {}, false};
    declarators_ = {{specifiers_.end, end, {}, false}};
    if (!readAttributes(name) || !readAttributes(specifiers_) || !readAttributes(declarators_[0]))
      return false;
    if (name.length.empty())
      return true;
    if (!specifiers_.length.empty() || declarators_[0].compound)
      return false;
    specifiers_.length = name.length;
    return true;
  }

  bool isPointer(size_t i) const { return at(i).isAny({"*", "&", "&&"}); }
  // `(*name)(int)`, `(int)` after a function's name; not `decltype(x)`
  bool opensDeclarator(size_t i) const {
    return at(i).is("(") && i > 0 && !at(i - 1).isAny({"decltype", "typeof", "__typeof__", "__typeof"});
  }

  bool isNameInParentheses(size_t i) const {
    return at(i).is("(") && at(i + 1).kind == TokenKind::Identifier && closers_[i] == i + 2;
  }

  // The first declarator's first token, of a typedef: a pointer's star, the name, or its parenthesis. A
  // parenthesis after the first word of a type is the name's, since a function has a result before its own.
  size_t firstDeclarator(size_t end) const {
    size_t name = kNone;
    int words = 0;
    for (size_t i = specifiers_.begin; i < end; i = next(i)) {
      if (isAttribute(i))
        continue;
      if (words == 1 && isNameInParentheses(i) && i == name + 1)
        return i;
      if (isPointer(i) || (at(i).is("(") && isPointer(i + 1)))
        return i;
      if (at(i).is("[") || opensDeclarator(i))
        break;
      if (at(i).kind == TokenKind::Identifier && !(i > 0 && at(i - 1).is("##"))) { // `T##4` is one name
        name = i;
        words += !at(i).is("typedef") && !isTypeQualifier(at(i));
      }
    }
    return name;
  }

  bool readAttributes(Part &part) {
    for (size_t i = part.begin; i < part.end; i = next(i)) {
      if (!isAttribute(i))
        part.compound |=
            isPointer(i) || at(i).is("[") || (at(i).is("(") && !(i == part.begin && isNameInParentheses(i)));
      else if (!attribute(i, part))
        return false;
    }
    return true;
  }

  // The type without the words around it. They hold for the vector: one of const elements cannot be changed.
  bool findType() {
    typeFirst_ = typeLast_ = kNone;
    for (size_t i = specifiers_.begin; i < specifiers_.end; i = next(i)) {
      if (isAttribute(i) || at(i).is("typedef") || isTypeQualifier(at(i)))
        continue;
      typeFirst_ = std::min(typeFirst_, i);
      typeLast_ = next(i) - 1;
    }
    return typeFirst_ != kNone && !(typeFirst_ < keyword_ && keyword_ < typeLast_);
  }

  // As in the text, without the attributes of vectors.
  std::string specifiersOf(const std::string &length) const {
    std::string text;
    for (size_t i = specifiers_.begin; i < specifiers_.end; ++i) {
      const auto gone = [&](const TokenEdit &edit) {
        return edit.place == Place::Instead && edit.first <= i && i <= edit.last;
      };
      if (std::ranges::any_of(edits_, gone))
        continue;
      const bool vector = !length.empty();
      text += fmt::format("{}{}{}", vector && i == typeFirst_ ? kBefore : "",
                          spelledTokens(tokens_, i, i + 1), vector && i == typeLast_ ? after(length) : "");
      if (!(i + 1 < specifiers_.end && at(i + 1).joined))
        text += ' ';
    }
    return text;
  }

  const std::vector<RawToken> &tokens_;
  const std::vector<size_t> &closers_;
  size_t keyword_ = 0, typeFirst_ = kNone, typeLast_ = kNone;
  Part specifiers_;
  std::vector<Part> declarators_;
  std::vector<TokenEdit> edits_;
};

} // namespace

bool isTypeQualifier(const RawToken &token) {
  return token.isAny({"const", "volatile", "thread", "device", "constant", "threadgroup"});
}

bool isVectorAttribute(const std::vector<RawToken> &tokens, size_t at) {
  return tokens[at].isAny({"ext_vector_type", "__ext_vector_type__"}) && at + 1 < tokens.size() &&
         tokens[at + 1].is("(");
}

std::vector<TokenEdit> vectorTypedef(const std::vector<RawToken> &tokens, const std::vector<size_t> &closers,
                                     size_t keyword, size_t begin) {
  return Declaration(tokens, closers).edits(keyword, begin);
}

} // namespace assay::frontend
