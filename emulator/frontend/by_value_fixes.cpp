#include "frontend/by_value_fixes.h"

#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

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

} // namespace

void ByValueFixes::consider(const clang::Diagnostic &info, const ViewFileSystem &files) {
  if (info.getID() != clang::diag::err_typecheck_cond_incompatible_operands || !info.hasSourceManager())
    return;
  const clang::SourceManager &sources = info.getSourceManager();
  clang::LangOptions options;
  options.CPlusPlus = true;
  for (const clang::CharSourceRange &range : info.getRanges()) {
    std::string file, endFile;
    const auto begin = writtenAt(sources, range.getBegin(), files, file);
    const auto last = writtenAt(sources, range.getEnd(), files, endFile);
    if (!begin || !last || file != endFile || *last < *begin)
      continue;
    const uint32_t token =
        clang::Lexer::MeasureTokenLength(sources.getSpellingLoc(range.getEnd()), sources, options);
    found_.insert({file, *begin, *last + (range.isTokenRange() ? token : 0)});
  }
}

bool ByValueFixes::apply(ViewFileSystem &files) {
  const size_t before = applied_.size();
  applied_.insert(found_.begin(), found_.end());
  found_.clear();
  if (applied_.size() == before)
    return false;
  std::map<std::string, std::vector<Edit>> insertions;
  for (const auto &[file, begin, end] : applied_) {
    insertions[file].push_back({begin, 0, "__assay_by_value("});
    insertions[file].push_back({end, 0, ")"});
  }
  for (auto &[file, edits] : insertions)
    files.insert(file, std::move(edits));
  return true;
}

} // namespace assay::frontend
