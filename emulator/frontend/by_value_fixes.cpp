#include "frontend/by_value_fixes.h"

#include <clang/AST/Type.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <fmt/format.h>

namespace assay::frontend {
namespace {

// Where a place is written: in the macro's body for one from a macro, not where the macro is used.
std::optional<uint32_t> writtenAt(const clang::SourceManager &sources, clang::SourceLocation location,
                                  const ViewFileSystem &files, std::string &file) {
  location = sources.getSpellingLoc(location);
  file = sources.getFilename(location).str();
  const SourceView *view = files.view(file);
  return view ? view->originalOffset(sources.getFileOffset(location)) : std::nullopt;
}

// `half(b)` or `static_cast<bfloat>(h)`: Clang has no conversion between the two.
bool isCastBetweenHalves(const clang::Diagnostic &info) {
  if (info.getID() != clang::diag::err_bad_cxx_cast_generic || info.getNumArgs() < 3)
    return false;
  bool half = false, bfloat = false;
  for (unsigned i : {1u, 2u}) {
    if (info.getArgKind(i) != clang::DiagnosticsEngine::ak_qualtype)
      return false;
    const auto type = clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(i)));
    const auto *builtin = type->getAs<clang::BuiltinType>();
    half |= builtin && builtin->getKind() == clang::BuiltinType::Float16;
    bfloat |= builtin && builtin->getKind() == clang::BuiltinType::BFloat16;
  }
  return half && bfloat;
}

} // namespace

void ByValueFixes::consider(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const bool conditional = info.getID() == clang::diag::err_typecheck_cond_incompatible_operands;
  const bool cast = isCastBetweenHalves(info);
  if ((!conditional && !cast) || !info.hasSourceManager())
    return;
  const clang::SourceManager &sources = info.getSourceManager();
  clang::LangOptions options;
  options.CPlusPlus = true;
  // Of a cast, the last range is its operand.
  const auto ranges = cast ? info.getRanges().take_back() : info.getRanges();
  for (const clang::CharSourceRange &range : ranges) {
    std::string file, endFile;
    const auto begin = writtenAt(sources, range.getBegin(), files, file);
    const auto last = writtenAt(sources, range.getEnd(), files, endFile);
    if (!begin || !last || file != endFile || *last < *begin)
      continue;
    const uint32_t token =
        clang::Lexer::MeasureTokenLength(sources.getSpellingLoc(range.getEnd()), sources, options);
    found_.insert({file, *begin, *last + (range.isTokenRange() ? token : 0),
                   cast ? "__assay_between_halves" : "__assay_by_value"});
  }
}

bool ByValueFixes::apply(ViewFileSystem &files) {
  const size_t before = applied_.size();
  applied_.insert(found_.begin(), found_.end());
  found_.clear();
  if (applied_.size() == before)
    return false;
  std::map<std::string, std::vector<Edit>> insertions;
  for (const auto &[file, begin, end, helper] : applied_) {
    insertions[file].push_back({begin, 0, fmt::format("{}(", helper)});
    insertions[file].push_back({end, 0, ")"});
  }
  for (auto &[file, edits] : insertions)
    files.insert(file, std::move(edits));
  return true;
}

} // namespace assay::frontend
