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

class Attribute {
public:
  Attribute(const std::vector<RawToken> &tokens, const std::vector<size_t> &closers, size_t at)
      : tokens_(tokens), closers_(closers), at_(at) {}

  std::vector<TokenEdit> edits() const {
    const size_t close = closers_[at_ + 1];
    if (tokens_[at_].inDirective || at_ < 4 || close == kNone || close == at_ + 2 ||
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

  // The words of the type before or after the attribute; none if they are no type-id with it.
  Range typeOf(size_t first, size_t last) const {
    size_t before = first - 1;
    while (before > 0 && isTypeQualifier(tokens_[before]))
      --before;
    const bool leads = tokens_[before].isAny({"(", "<", ","});
    const Range type = leads ? typeAfter(last + 1) : typeBefore(first - 1);
    if (type.first == kNone)
      return {};
    size_t begin = leads ? first : type.first, end = leads ? type.last + 1 : last + 1;
    while (begin > 0 && isTypeQualifier(tokens_[begin - 1]))
      --begin;
    while (at(end).isAny({"*", "&"}) || isTypeQualifier(at(end)) ||
           (at(end).is("[") && closers_[end] != kNone))
      end = at(end).is("[") ? closers_[end] + 1 : end + 1;
    return begin > 0 && isTypeId(begin - 1, end) ? type : Range();
  }

  // Whether what stands between these tokens is the name of a type, and no parameter of a function.
  bool isTypeId(size_t open, size_t end) const {
    if (tokens_[open].is("<"))
      return at(end).isAny({">", ">>", ","});
    if (tokens_[open].is(","))
      return at(end).isAny({">", ">>"});
    return tokens_[open].is("(") && at(end).is(")") &&
           (open == 0 || !isWord(open - 1) ||
            tokens_[open - 1].isAny({"sizeof", "alignof", "return", "case", "else", "do"}));
  }

  // The words of a type that ends at `end`: a scalar's, or a name with its namespaces.
  Range typeBefore(size_t end) const {
    while (end > 0 && isTypeQualifier(tokens_[end]))
      --end;
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

  Range typeAfter(size_t begin) const {
    while (isTypeQualifier(at(begin)))
      ++begin;
    Range type{begin, begin};
    if (isScalarWord(at(begin))) {
      while (isScalarWord(at(type.last + 1)))
        ++type.last;
      return type;
    }
    if (!isWord(begin))
      return {};
    while (at(type.last + 1).is("::") && isWord(type.last + 2))
      type.last += 2;
    return type;
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
