#include "frontend/component_fixes.h"

#include "frontend/vector_classes.h"
#include "frontend/written_token.h"

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

bool isAssignment(const RawToken &t) {
  return t.isAny({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="});
}

// s3210: wzyx. What has no such name is a call: v.xyzwxyzw, and all components of a vector of eight.
std::optional<SourceFix> component(const WrittenToken &place, const MetalVector &vector) {
  const unsigned length = vector.length;
  const RawToken &name = place.tokens[place.at];
  const std::vector<unsigned> components = componentsOf(name.text, length);
  if (components.empty())
    return std::nullopt;
  constexpr std::string_view kLetters = "xyzw";
  const bool assigned = isAssignment(place.tokens[place.at + 1]) && length > kLetters.size() &&
                        !vector.packed &&
                        std::set<unsigned>(components.begin(), components.end()).size() == components.size();
  std::string text;
  if (length <= kLetters.size() && components.size() <= kLetters.size())
    for (const unsigned i : components)
      text += kLetters[i];
  else if (components.size() == 1)
    text = fmt::format("operator[]({})", components[0]);
  else
    text = fmt::format("template {}<{}, {}>()", assigned ? "__part" : "__swizzled", components.size(),
                       fmt::join(components, ", "));
  return SourceFix{place.file, name.offset, name.offset + name.length, text + "/*", "*/"};
}

std::optional<MetalVector> vectorIn(const clang::Diagnostic &info, unsigned argument) {
  if (info.getNumArgs() <= argument || info.getArgKind(argument) != clang::DiagnosticsEngine::ak_declcontext)
    return std::nullopt;
  const auto *context = reinterpret_cast<clang::DeclContext *>(info.getRawArg(argument));
  return vectorClass(llvm::dyn_cast<clang::CXXRecordDecl>(context));
}

} // namespace

bool isSwizzle(std::string_view name) {
  return name == "lo" || name == "hi" || name == "even" || name == "odd" ||
         (name.size() >= 2 && name.size() <= 4 && (consistsOf(name, "xyzw") || consistsOf(name, "rgba")));
}

std::set<SourceFix> componentFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const unsigned id = info.getID();
  const bool member = id == clang::diag::err_no_member || id == clang::diag::err_no_member_suggest;
  const std::optional<MetalVector> vector = member ? vectorIn(info, 1) : std::nullopt;
  const bool assigned =
      id == clang::diag::err_typecheck_expression_not_modifiable_lvalue && !info.getRanges().empty();
  if (!vector && !assigned)
    return {};
  const std::optional<WrittenToken> place = writtenTokenAt(
      info.getSourceManager(), vector ? info.getLocation() : info.getRanges()[0].getEnd(), files);
  const std::optional<SourceFix> fix = !place   ? std::nullopt
                                       : vector ? component(*place, *vector)
                                                : ofSwizzle(*place);
  return fix ? std::set<SourceFix>{*fix} : std::set<SourceFix>();
}

} // namespace assay::frontend
