#include "frontend/component_fixes.h"

#include "frontend/vector_classes.h"
#include "frontend/written_token.h"

#include <clang/AST/DeclarationName.h>
#include <clang/AST/Type.h>
#include <clang/Basic/DiagnosticSema.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <optional>
#include <string>
#include <vector>

namespace assay::frontend {
namespace {

bool consistsOf(std::string_view name, std::string_view letters) {
  return name.find_first_not_of(letters) == std::string_view::npos;
}
bool isNumbered(std::string_view name) {
  return name.size() >= 2 && name.size() <= 5 && (name.front() == 's' || name.front() == 'S') &&
         consistsOf(name.substr(1), "0123");
}

// Whether the value before a period is a swizzle, or something in parentheses that are not a call's.
bool isSwizzleOrGroup(const std::vector<RawToken> &tokens, size_t last) {
  if (!tokens[last].is(")"))
    return last >= 1 && (tokens[last - 1].is(".") || tokens[last - 1].is("->")) &&
           (isSwizzle(tokens[last].text) || isNumbered(tokens[last].text));
  int depth = 0;
  for (size_t i = last + 1; i-- > 0;) {
    depth += tokens[i].is(")");
    if (tokens[i].is("(") && --depth == 0)
      return i == 0 || (tokens[i - 1].kind == TokenKind::Punctuator && !tokens[i - 1].is("]") &&
                        !tokens[i - 1].is(">"));
  }
  return false;
}

std::optional<SourceFix> ofSwizzle(WrittenToken place) {
  const std::vector<RawToken> &tokens = place.tokens;
  size_t at = place.at;
  while (at > 0 && tokens[at].is(")"))
    --at;
  const bool component = tokens[at].text.size() == 1 && consistsOf(tokens[at].text, "xyzwrgba");
  if (at < 2 || !component || !tokens[at - 1].is(".") || !isSwizzleOrGroup(tokens, at - 2))
    return std::nullopt;
  return SourceFix{place.file, tokens[at].offset, tokens[at].offset, "__itself().", ""};
}

// The numbers of the components that a name stands for, in a vector of this length; empty if it is no such
// name. A vector of more than four has halves and every other component, as one of four has.
std::vector<unsigned> componentsOf(std::string_view name, unsigned length) {
  constexpr std::string_view kDigits = "0123456789abcdef", kPositions = "xyzw", kColours = "rgba";
  constexpr size_t kMost = 16;
  std::vector<unsigned> components;
  if (length > kPositions.size() && (name == "lo" || name == "hi" || name == "even" || name == "odd")) {
    const unsigned step = name == "even" || name == "odd" ? 2 : 1;
    for (unsigned i = name == "hi"    ? length / 2
                      : name == "odd" ? 1
                                      : 0;
         components.size() < length / 2; i += step)
      components.push_back(i);
    return length % 2 == 0 ? components : std::vector<unsigned>();
  }
  const bool numbered = name.starts_with('s') || name.starts_with('S');
  if (numbered)
    name.remove_prefix(1);
  const std::string_view letters = numbered ? kDigits : consistsOf(name, kPositions) ? kPositions : kColours;
  for (const char c : name) {
    const size_t component = letters.find(numbered ? char(std::tolower(c)) : c);
    if (component >= length) // also of another letter
      return {};
    components.push_back(unsigned(component));
  }
  return components.size() <= kMost ? components : std::vector<unsigned>();
}

// Whether a member is assigned to, or changed by ++ or --: v.lo = a, ++v.lo, (v.lo) *= 2.
//   name         of the member
//   objectBegin  of the expression before the member
bool isChanged(const WrittenToken &name, const std::optional<WrittenToken> &objectBegin) {
  const std::vector<RawToken> &tokens = name.tokens;
  size_t after = name.at + 1, begin = objectBegin ? objectBegin->at : 0;
  const auto isGroup = [&] { // not the parentheses of a call
    return begin >= 2 && after < tokens.size() && tokens[begin - 1].is("(") && tokens[after].is(")") &&
           tokens[begin - 2].kind == TokenKind::Punctuator && !tokens[begin - 2].isAny({")", "]", ">"});
  };
  for (; isGroup(); ++after)
    --begin;
  const bool before = begin >= 1 && tokens[begin - 1].isAny({"++", "--"});
  return before ||
         tokens[after].isAny({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"});
}

struct Choice {
  MetalVector vector;
  std::vector<unsigned> components; ///< their numbers
  size_t last;                      ///< the token that ends their name
  bool isVolatile = false;
};

bool areDifferent(const std::vector<unsigned> &components) {
  return std::set<unsigned>(components.begin(), components.end()).size() == components.size();
}

// `.zyx.xy` of a volatile vector is `.zy` of it: the first part alone would be a copy.
void choosePart(const std::vector<RawToken> &tokens, Choice &choice) {
  size_t &last = choice.last;
  while (choice.components.size() > 1 && areDifferent(choice.components) && last + 2 < tokens.size() &&
         tokens[last + 1].is(".") && tokens[last + 1].joined && tokens[last + 2].joined) {
    std::vector<unsigned> part = componentsOf(tokens[last + 2].text, unsigned(choice.components.size()));
    if (part.empty())
      return;
    for (unsigned &component : part)
      component = choice.components[component];
    choice.components = std::move(part);
    last += 2;
  }
}

// s3210: wzyx. What has no such name is a call: v.xyzwxyzw, all components of a vector of eight, and those of
// a volatile vector. The latter is always the property: a macro's components may be read and assigned to.
SourceFix chosen(const WrittenToken &place, const std::optional<WrittenToken> &objectBegin,
                 const Choice &choice) {
  const auto &[vector, components, end, isVolatile] = choice;
  const RawToken &name = place.tokens[place.at];
  constexpr std::string_view kLetters = "xyzw";
  const bool few = vector.length <= kLetters.size();
  std::string text;
  if (few && components.size() <= kLetters.size() && (!isVolatile || components.size() == 1))
    for (const unsigned i : components)
      text += kLetters[i];
  else if (components.size() == 1)
    text = fmt::format("operator[]({})", components[0]);
  else {
    const bool changed = areDifferent(components) && (isVolatile || (!few && isChanged(place, objectBegin)));
    text = fmt::format("template {}<{}, {}>(){}", changed ? "__part" : "__swizzled", components.size(),
                       fmt::join(components, ", "), changed ? ".all" : "");
  }
  const RawToken &last = place.tokens[end];
  return {place.file, name.offset, last.offset + last.length, text, "", true};
}

std::optional<MetalVector> vectorIn(const clang::Diagnostic &info, unsigned argument) {
  if (info.getNumArgs() <= argument || info.getArgKind(argument) != clang::DiagnosticsEngine::ak_declcontext)
    return std::nullopt;
  const auto *context = reinterpret_cast<clang::DeclContext *>(info.getRawArg(argument));
  return vectorClass(llvm::dyn_cast<clang::CXXRecordDecl>(context));
}

// A member that no vector has.
std::optional<SourceFix> component(const clang::Diagnostic &info, const MetalVector &vector,
                                   const ViewFileSystem &files) {
  const clang::SourceManager &sources = info.getSourceManager();
  const std::optional<WrittenToken> place = writtenTokenAt(sources, info.getLocation(), files);
  const std::vector<unsigned> components =
      place ? componentsOf(place->tokens[place->at].text, vector.length) : std::vector<unsigned>();
  if (components.empty())
    return std::nullopt;
  const auto object = info.getRanges().empty()
                          ? std::nullopt
                          : writtenTokenAt(sources, info.getRanges().back().getBegin(), files);
  return chosen(*place, object, {vector, components, place->at});
}

// The name after an object, which ends at `place`.
std::optional<WrittenToken> memberAfter(WrittenToken place) {
  size_t &at = ++place.at;
  while (at < place.tokens.size() && place.tokens[at].is(")"))
    ++at;
  const bool member = at + 2 < place.tokens.size() && place.tokens[at].isAny({".", "->"});
  ++at;
  return member && place.tokens[at].kind == TokenKind::Identifier ? std::optional(std::move(place))
                                                                  : std::nullopt;
}

// The components of a volatile vector. Clang's error names the getter or the setter that Metal's name stands
// for (msl_shim/detail/swizzle.h).
std::optional<SourceFix> ofVolatile(const clang::Diagnostic &info, const ViewFileSystem &files) {
  if (info.getID() != clang::diag::err_member_function_call_bad_cvr || info.getRanges().empty())
    return std::nullopt;
  const auto function = clang::DeclarationName::getFromOpaqueInteger(info.getRawArg(0)).getAsString();
  const auto type = clang::QualType::getFromOpaquePtr(reinterpret_cast<const void *>(info.getRawArg(1)));
  const std::optional<MetalVector> vector = vectorClass(type->getAsCXXRecordDecl());
  constexpr std::string_view kPut = "__put_", kGet = "__get_";
  if (!vector || !type.isVolatileQualified() || !(function.starts_with(kPut) || function.starts_with(kGet)))
    return std::nullopt;
  const clang::SourceManager &sources = info.getSourceManager();
  std::optional<WrittenToken> place = writtenTokenAt(sources, info.getRanges()[0].getEnd(), files);
  if (place)
    place = memberAfter(std::move(*place));
  const std::vector<unsigned> components =
      componentsOf(std::string_view(function).substr(kPut.size()), vector->length);
  if (!place || components.empty())
    return std::nullopt;
  Choice choice{*vector, components, place->at, true};
  choosePart(place->tokens, choice);
  return chosen(*place, std::nullopt, choice);
}

} // namespace

bool isSwizzle(std::string_view name) {
  return name == "lo" || name == "hi" || name == "even" || name == "odd" ||
         (name.size() >= 2 && name.size() <= 4 && (consistsOf(name, "xyzw") || consistsOf(name, "rgba")));
}

std::set<SourceFix> componentFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const unsigned id = info.getID();
  if (const std::optional<SourceFix> fix = ofVolatile(info, files))
    return {*fix};
  const bool member = id == clang::diag::err_no_member || id == clang::diag::err_no_member_suggest;
  const std::optional<MetalVector> vector = member ? vectorIn(info, 1) : std::nullopt;
  const bool assigned =
      id == clang::diag::err_typecheck_expression_not_modifiable_lvalue && !info.getRanges().empty();
  if (!vector && !assigned)
    return {};
  std::optional<SourceFix> fix;
  if (vector)
    fix = component(info, *vector, files);
  else if (auto place = writtenTokenAt(info.getSourceManager(), info.getRanges()[0].getEnd(), files))
    fix = ofSwizzle(std::move(*place));
  return fix ? std::set<SourceFix>{*fix} : std::set<SourceFix>();
}

} // namespace assay::frontend
