#include "frontend/vector_attributes.h"

#include "support/abi/scalar_type.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::frontend {
namespace {

using Place = TokenEdit::Place;

bool isScalarWord(const RawToken &t) {
  return t.isAny({"unsigned", "signed"}) ||
         std::ranges::any_of(kScalarTypes, [&](const ScalarTypeInfo &info) { return t.is(info.metalName); });
}

// Words that stand before a type in its declaration.
bool isSpecifier(const RawToken &t) {
  return t.isAny({"const", "volatile", "static", "constexpr", "inline", "extern", "thread", "device",
                  "constant", "threadgroup"});
}

class Attribute {
public:
  Attribute(const std::vector<RawToken> &tokens, const std::vector<size_t> &closers, size_t at)
      : tokens_(tokens), closers_(closers), at_(at) {}

  std::vector<TokenEdit> edits() const {
    const size_t close = closers_[at_ + 1];
    if (tokens_[at_].inDirective || namesAType() || at_ < 4 || close == kNone || close == at_ + 2 ||
        close + 3 >= tokens_.size() || !tokens_[at_ - 3].isAny({"__attribute__", "__attribute"}) ||
        closers_[at_ - 1] != close + 1 || closers_[at_ - 2] != close + 2)
      return {}; // not alone
    const size_t first = at_ - 3, last = close + 2;
    const Range type = typeOf(first, last);
    if (type.first == kNone)
      return {};
    return {
        {type.first, type.first, "metal::vec<", Place::Before},
        {type.last, type.last, fmt::format(", ({})>", spelledTokens(tokens_, at_ + 2, close)), Place::After},
        {first, last, "", Place::Instead}};
  }

private:
  struct Range {
    size_t first = kNone, last = kNone;
  };

  const RawToken &at(size_t i) const { return tokens_[std::min(i, tokens_.size() - 1)]; }
  bool isWord(size_t i) const { return at(i).kind == TokenKind::Identifier; }

  // Whether it is in a typedef or a using, which vector_typedefs.h reads.
  bool namesAType() const {
    for (size_t i = at_; i-- > 0 && !tokens_[i].isAny({";", "{", "}"});)
      if (tokens_[i].isAny({"typedef", "using"}))
        return true;
    return false;
  }

  Range typeOf(size_t first, size_t last) const {
    const RawToken &before = tokens_[first - 1];
    if (before.isAny({";", "{", "}", "(", ","}) || isSpecifier(before))
      return typeAfter(last + 1);
    if (const Range type = typeBefore(first - 1); type.first != kNone && isTypesPlace(type, last + 1))
      return type;
    return isWord(first - 1) && isOnlyName(last + 1) ? ofDeclarator(first - 1) : Range();
  }

  // The words of a type that ends at `end`: a scalar's, or a name with its namespaces.
  Range typeBefore(size_t end) const {
    Range type{end, end};
    if (isScalarWord(tokens_[end])) {
      while (type.first > 0 && isScalarWord(tokens_[type.first - 1]))
        --type.first;
      return type;
    }
    if (!isWord(end))
      return {};
    while (type.first >= 2 && tokens_[type.first - 1].is("::") && isWord(type.first - 2))
      type.first -= 2;
    return type;
  }

  // Whether a name is a type's, and no variable's, by what stands around it and its attribute.
  bool isTypesPlace(const Range &type, size_t after) const {
    if (isScalarWord(tokens_[type.last]))
      return true;
    if (type.first == 0)
      return false;
    const RawToken &before = tokens_[type.first - 1];
    if (before.isAny({"(", "<"}) && at(after).isAny({")", ">"}))
      return true; // a cast, or a template's argument
    return (before.isAny({";", "{", "}", "(", ",", "<", ":", ">"}) || isSpecifier(before)) &&
           (isWord(after) || at(after).isAny({"*", "&"}));
  }

  // `__attribute__((..)) int v`: a name follows the type.
  Range typeAfter(size_t begin) const {
    while (isSpecifier(at(begin)))
      ++begin;
    Range type{begin, begin};
    if (isScalarWord(at(begin))) {
      while (isScalarWord(at(type.last + 1)))
        ++type.last;
    } else {
      if (!isWord(begin))
        return {};
      while (at(type.last + 1).is("::") && isWord(type.last + 2))
        type.last += 2;
    }
    return isWord(type.last + 1) || at(type.last + 1).isAny({"*", "&"}) ? type : Range();
  }

  // `float v __attribute__((..))`: the type before the name.
  Range ofDeclarator(size_t name) const {
    return name > 0 && (isScalarWord(tokens_[name - 1]) || isWord(name - 1)) &&
                   !isSpecifier(tokens_[name - 1])
               ? typeBefore(name - 1)
               : Range();
  }

  // Whether a declaration has no further name after this place. What follows a parameter's comma is another
  // declaration.
  bool isOnlyName(size_t after) const {
    if (at(after).is("[")) // no declaration in C++
      return false;
    if (isParameter(after))
      return true;
    for (size_t i = after; i < tokens_.size(); ++i) {
      if (at(i).is(";"))
        return true;
      if (at(i).is(",") || closesGroup(at(i)) || at(i).kind == TokenKind::End)
        return false;
      if (opensGroup(at(i)) && (i = closers_[i]) == kNone)
        return false;
    }
    return false;
  }

  // Whether the parentheses around this place are of a function: a name stands before them.
  bool isParameter(size_t place) const {
    for (size_t i = place, depth = 0; i-- > 0;) {
      if (closesGroup(tokens_[i]))
        ++depth;
      else if (opensGroup(tokens_[i]) && depth-- == 0)
        return tokens_[i].is("(") && i > 0 && isWord(i - 1) &&
               !tokens_[i - 1].isAny({"for", "if", "while", "switch"});
    }
    return false;
  }

  const std::vector<RawToken> &tokens_;
  const std::vector<size_t> &closers_;
  size_t at_;
};

} // namespace

std::vector<TokenEdit> vectorAttribute(const std::vector<RawToken> &tokens,
                                       const std::vector<size_t> &closers, size_t at) {
  return Attribute(tokens, closers, at).edits();
}

} // namespace assay::frontend
