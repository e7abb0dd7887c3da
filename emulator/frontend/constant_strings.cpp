#include "frontend/constant_strings.h"

#include "frontend/tokens.h"

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

} // namespace

// Whether it is a macro without parameters that stands for string literals, or for other such macros.
bool ConstantStrings::isLiteralsMacro(std::string_view name, int depth) const {
  if (name == "__FILE__")
    return true;
  if (!preprocessor_ || depth == 8)
    return false;
  const auto known = preprocessor_->getIdentifierTable().find(name);
  if (known == preprocessor_->getIdentifierTable().end())
    return false;
  const clang::MacroInfo *macro = preprocessor_->getMacroInfo(known->second);
  return macro && macro->isObjectLike() && macro->getNumTokens() > 0 &&
         std::ranges::all_of(macro->tokens(), [&](const clang::Token &token) {
           return token.is(clang::tok::string_literal) ||
                  (token.is(clang::tok::identifier) &&
                   isLiteralsMacro(std::string_view(token.getIdentifierInfo()->getName()), depth + 1));
         });
}

std::set<SourceFix> ConstantStrings::consider(const clang::Diagnostic &info, const ViewFileSystem &files) {
  if (!clang::DiagnosticIDs::isBuiltinNote(info.getID())) {
    file_.clear();
    if (info.getLocation().isInvalid())
      return {};
    const clang::SourceManager &sources = info.getSourceManager();
    const clang::SourceLocation place = sources.getFileLoc(info.getLocation());
    const SourceView *view = files.view(sources.getFilename(place));
    const auto offset = view ? view->originalOffset(sources.getFileOffset(place)) : std::nullopt;
    if (!offset)
      return {};
    file_ = sources.getFilename(place).str();
    offset_ = *offset;
  }
  if (file_.empty() || !namesLiteral(info))
    return {};
  const std::string &text = files.view(file_)->original();
  std::set<SourceFix> fixes;
  for (const RawToken &token : lexRaw(text)) {
    if (token.offset < offset_ || token.inDirective)
      continue;
    if (token.is(";"))
      break;
    if (token.kind == TokenKind::Literal && token.text.starts_with('"') && token.text.ends_with('"')) {
      const uint32_t end = token.offset + token.length;
      fixes.insert({file_, end, end, "__assay_constant", ""});
    } else if (token.kind == TokenKind::Identifier && isLiteralsMacro(token.text)) {
      const uint32_t end = token.offset + token.length;
      fixes.insert({file_, end, end, " \"\"__assay_constant", ""});
    }
  }
  return fixes;
}

} // namespace assay::frontend
