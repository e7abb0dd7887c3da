#include "frontend/constant_strings.h"

#include <clang/AST/Type.h>
#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>

namespace assay::frontend {
namespace {

// Whether the diagnostic speaks of a type that string literals have, or become.
bool namesLiteral(const clang::Diagnostic &info) {
  // This note names no type, only the space that the argument has: none, of `c ? "a" : "bc"`.
  if (info.getID() == clang::diag::note_ovl_candidate_bad_addrspace)
    for (unsigned i = 0; i < info.getNumArgs(); ++i)
      if (info.getArgKind(i) == clang::DiagnosticsEngine::ak_addrspace)
        return clang::LangAS(info.getRawArg(i)) == clang::LangAS::Default;
  for (unsigned i = 0; i < info.getNumArgs(); ++i) {
    if (info.getArgKind(i) != clang::DiagnosticsEngine::ak_qualtype)
      continue;
    const auto type = clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(i)));
    if (type.isNull())
      continue;
    const clang::ArrayType *array = type->getAsArrayTypeUnsafe();
    const auto *pointer = type->getAs<clang::PointerType>(); // of `c ? "a" : "b"`
    const clang::QualType element = array     ? array->getElementType()
                                    : pointer ? pointer->getPointeeType()
                                              : clang::QualType();
    if (!element.isNull() && element->isCharType() && element.isConstQualified() &&
        !element.hasAddressSpace())
      return true;
  }
  return false;
}

// What stands in parentheses after these words is text for the compiler, and no value.
bool takesText(const RawToken &token) {
  for (const char *word : {"_Pragma", "static_assert", "_Static_assert", "asm", "__asm__", "__attribute__",
                           "host_name", "user_annotation", "deprecated"})
    if (token.is(word))
      return true;
  return false;
}

bool isFunctionName(std::string_view word) {
  return word == "__func__" || word == "__FUNCTION__" || word == "__PRETTY_FUNCTION__";
}

} // namespace

// The macro of this name that the program defines with a body; null if there is none.
const clang::MacroInfo *ConstantStrings::macro(std::string_view name) const {
  if (!preprocessor_)
    return nullptr;
  const auto known = preprocessor_->getIdentifierTable().find(name);
  if (known == preprocessor_->getIdentifierTable().end())
    return nullptr;
  const clang::MacroInfo *macro = preprocessor_->getMacroInfo(known->second);
  return macro && macro->getNumTokens() > 0 ? macro : nullptr;
}

// Whether it is a macro without parameters that stands for string literals, or for other such macros.
bool ConstantStrings::isLiteralsMacro(std::string_view name, int depth) const {
  if (name == "__FILE__")
    return true;
  const clang::MacroInfo *found = depth == 8 ? nullptr : macro(name);
  return found && found->isObjectLike() &&
         std::ranges::all_of(found->tokens(), [&](const clang::Token &token) {
           return token.is(clang::tok::string_literal) ||
                  (token.is(clang::tok::identifier) &&
                   isLiteralsMacro(std::string_view(token.getIdentifierInfo()->getName()), depth + 1));
         });
}

void ConstantStrings::fixStatement(const Place &place, const ViewFileSystem &files,
                                   std::set<SourceFix> &fixes) const {
  const std::vector<RawToken> tokens = lexRaw(files.view(place.file)->original());
  size_t i = 0;
  while (tokens[i].kind != TokenKind::End && tokens[i].offset < place.offset)
    ++i;
  // Of a macro's body the place is a token of it, and the statement ends with its directive.
  const bool inDirective = tokens[i].inDirective;
  for (size_t text = 0; tokens[i].kind != TokenKind::End; ++i) {
    const RawToken &token = tokens[i];
    if (inDirective && (!token.inDirective || (token.startsLine && token.offset != place.offset)))
      break;
    if (token.inDirective != inDirective)
      continue;
    if (token.is(";") && !inDirective)
      break;
    if (text > 0 || (token.is("(") && i > 0 && takesText(tokens[i - 1]))) { // skips the parentheses
      text += token.is("(") ? 1 : 0;
      text -= token.is(")") ? 1 : 0;
      continue;
    }
    fixToken(tokens, i, place.file, files, fixes);
  }
}

void ConstantStrings::fixToken(const std::vector<RawToken> &tokens, size_t i, const std::string &file,
                               const ViewFileSystem &files, std::set<SourceFix> &fixes) const {
  const RawToken &token = tokens[i];
  const uint32_t end = token.offset + token.length;
  if (token.kind == TokenKind::Literal && token.text.starts_with('"') && token.text.ends_with('"'))
    fixes.insert({file, end, end, "__assay_constant", ""});
  else if (token.kind != TokenKind::Identifier)
    return;
  else if (isFunctionName(token.text))
    fixes.insert({file, token.offset, end, "__assay_constant_text(", ")"});
  else if (isLiteralsMacro(token.text) || (i > 0 && tokens[i - 1].is("#") && token.inDirective))
    fixes.insert({file, end, end, " \"\"__assay_constant", ""});
  else
    fixMacro(token.text, files, fixes);
}

// What a macro's body itself makes of strings: `report(__FILE__, #condition)`.
void ConstantStrings::fixMacro(std::string_view name, const ViewFileSystem &files,
                               std::set<SourceFix> &fixes) const {
  const clang::MacroInfo *found = macro(name);
  if (!found || !macros_.insert(std::string(name)).second)
    return;
  const clang::SourceManager &sources = preprocessor_->getSourceManager();
  const clang::SourceLocation first = found->tokens().front().getLocation();
  const std::string file = sources.getFilename(first).str();
  const SourceView *view = files.view(file);
  const auto offset = view ? view->originalOffset(sources.getFileOffset(first)) : std::nullopt;
  if (offset)
    fixStatement({file, *offset}, files, fixes);
}

std::set<SourceFix> ConstantStrings::consider(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const bool note = clang::DiagnosticIDs::isBuiltinNote(info.getID());
  if (!note)
    places_.clear();
  // A template's error may come of a literal that its caller has handed over.
  if (!note || info.getID() == clang::diag::note_function_template_spec_here ||
      info.getID() == clang::diag::note_template_member_function_here) {
    if (info.getLocation().isInvalid())
      return {};
    const clang::SourceManager &sources = info.getSourceManager();
    const clang::SourceLocation place = sources.getFileLoc(info.getLocation());
    const std::string file = sources.getFilename(place).str();
    const SourceView *view = files.view(file);
    if (const auto offset = view ? view->originalOffset(sources.getFileOffset(place)) : std::nullopt)
      places_.push_back({file, *offset});
    if (note)
      return {};
  }
  std::set<SourceFix> fixes;
  if (places_.empty() || !namesLiteral(info))
    return fixes;
  macros_.clear();
  for (const Place &place : places_)
    fixStatement(place, files, fixes);
  return fixes;
}

} // namespace assay::frontend
