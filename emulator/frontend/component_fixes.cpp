#include "frontend/component_fixes.h"

#include "frontend/vector_classes.h"
#include "frontend/written_token.h"

#include <clang/Basic/DiagnosticSema.h>

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

// s3210: wzyx.
std::optional<SourceFix> byNumber(const WrittenToken &place) {
  const RawToken &name = place.tokens[place.at];
  if (!isNumbered(name.text))
    return std::nullopt;
  std::string letters;
  for (const char number : name.text.substr(1))
    letters += "xyzw"[number - '0'];
  return SourceFix{place.file, name.offset, name.offset + name.length, letters + "/*", "*/"};
}

bool isVector(const clang::Diagnostic &info, unsigned argument) {
  if (info.getNumArgs() <= argument || info.getArgKind(argument) != clang::DiagnosticsEngine::ak_declcontext)
    return false;
  const auto *context = reinterpret_cast<clang::DeclContext *>(info.getRawArg(argument));
  return vectorClass(llvm::dyn_cast<clang::CXXRecordDecl>(context)).has_value();
}

} // namespace

bool isSwizzle(std::string_view name) {
  return name == "lo" || name == "hi" || name == "even" || name == "odd" ||
         (name.size() >= 2 && name.size() <= 4 && (consistsOf(name, "xyzw") || consistsOf(name, "rgba")));
}

std::set<SourceFix> componentFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const unsigned id = info.getID();
  const bool member =
      (id == clang::diag::err_no_member || id == clang::diag::err_no_member_suggest) && isVector(info, 1);
  const bool assigned =
      id == clang::diag::err_typecheck_expression_not_modifiable_lvalue && !info.getRanges().empty();
  if (!member && !assigned)
    return {};
  const std::optional<WrittenToken> place = writtenTokenAt(
      info.getSourceManager(), member ? info.getLocation() : info.getRanges()[0].getEnd(), files);
  const std::optional<SourceFix> fix = !place ? std::nullopt : member ? byNumber(*place) : ofSwizzle(*place);
  return fix ? std::set<SourceFix>{*fix} : std::set<SourceFix>();
}

} // namespace assay::frontend
