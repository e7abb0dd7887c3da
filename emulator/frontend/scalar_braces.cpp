#include "frontend/scalar_braces.h"

#include "frontend/own_errors.h"
#include "frontend/vector_classes.h"

#include <clang/AST/Type.h>
#include <clang/Basic/DiagnosticSema.h>

namespace assay::frontend {
namespace {

// Whether one of the types that a diagnostic names is a vector's.
bool isAboutVector(const clang::Diagnostic &info) {
  for (unsigned i = 0; i < info.getNumArgs(); ++i)
    if (info.getArgKind(i) == clang::DiagnosticsEngine::ak_qualtype) {
      const auto type = clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(i)));
      if (vectorClass(type.getNonReferenceType()->getAsCXXRecordDecl()))
        return true;
    }
  return false;
}

// Adds the fixes that take the braces from an element, if it is one value or none.
void strip(const WrittenToken &list, const std::vector<size_t> &closers, size_t open,
           std::set<SourceFix> &fixes) {
  const std::vector<RawToken> &tokens = list.tokens;
  const uint32_t begin = tokens[open].offset;
  size_t close = closers[open];
  const uint32_t end = close == kNone ? 0 : tokens[close].offset + tokens[close].length;
  while (close != kNone && tokens[open + 1].is("{") && closers[open + 1] == close - 1) {
    ++open;
    --close;
  }
  if (close == kNone)
    return;
  for (size_t i = open + 1; i < close; ++i)
    if (tokens[i].is(","))
      return;
    else if (opensGroup(tokens[i]) && closers[i] != kNone)
      i = closers[i];
  if (open + 1 == close) {
    fixes.insert({list.file, begin, end, "0", "", true});
    return;
  }
  const RawToken &last = tokens[close - 1];
  fixes.insert({list.file, begin, tokens[open + 1].offset, "", "", true});
  fixes.insert({list.file, last.offset + last.length, end, "", "", true});
}

std::set<SourceFix> fixesIn(const WrittenToken &list) {
  std::set<SourceFix> fixes;
  const std::vector<size_t> closers = closersOf(list.tokens);
  for (size_t i = list.at + 1; closers[list.at] != kNone && i < closers[list.at]; ++i) {
    if (!opensGroup(list.tokens[i]) || closers[i] == kNone)
      continue;
    if (list.tokens[i].is("{") && (i == list.at + 1 || list.tokens[i - 1].is(",")))
      strip(list, closers, i, fixes);
    i = closers[i];
  }
  return fixes;
}

bool isNarrowing(unsigned id) {
  namespace diag = clang::diag;
  return id == diag::ext_init_list_type_narrowing || id == diag::ext_init_list_variable_narrowing ||
         id == diag::ext_init_list_constant_narrowing;
}

// Takes the braces from a value that is one of several elements. If what they initialise is no element of a
// vector, the value is refused without them, too.
std::set<SourceFix> fixesAround(const WrittenToken &value) {
  std::set<SourceFix> fixes;
  const std::vector<size_t> closers = closersOf(value.tokens);
  const size_t open = value.at - 1;
  if (value.at < 2 || !value.tokens[open].is("{") || closers[open] == kNone)
    return fixes;
  if (value.tokens[open - 1].is(",") || value.tokens[closers[open] + 1].is(","))
    strip(value, closers, open, fixes);
  return fixes;
}

} // namespace

std::set<SourceFix> ScalarBraces::consider(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const unsigned id = info.getID();
  if (isOwnError(info, kBracesAreOneElement)) {
    std::set<SourceFix> fixes;
    const auto element = writtenTokenAt(info.getSourceManager(), info.getLocation(), files);
    if (element && element->tokens[element->at].is("{"))
      strip(*element, closersOf(element->tokens), element->at, fixes);
    return fixes;
  }
  if (isNarrowing(id)) {
    const clang::SourceManager &sources = info.getSourceManager();
    for (const clang::SourceLocation place :
         {info.getLocation(), sources.getExpansionLoc(info.getLocation())})
      if (const auto value = writtenTokenAt(sources, place, files))
        if (std::set<SourceFix> fixes = fixesAround(*value); !fixes.empty())
          return fixes;
    return {};
  }
  const bool ambiguous = id == clang::diag::err_ovl_ambiguous_oper_binary;
  const bool assigns =
      (id == clang::diag::err_ovl_no_viable_oper || ambiguous) && info.getRanges().size() == 2;
  const bool initialises =
      (id == clang::diag::err_ovl_no_viable_function_in_init || id == clang::diag::err_ovl_ambiguous_init) &&
      !info.getRanges().empty();
  if (!clang::DiagnosticIDs::isBuiltinNote(id)) {
    list_ = assigns || initialises
                ? writtenTokenAt(info.getSourceManager(), info.getRanges()[assigns ? 1 : 0].getBegin(), files)
                : std::nullopt;
    if (list_ && !list_->tokens[list_->at].is("{"))
      list_.reset();
  }
  const bool told = initialises || ambiguous || id == clang::diag::note_ovl_candidate_bad_list_argument;
  return list_ && told && isAboutVector(info) ? fixesIn(*list_) : std::set<SourceFix>();
}

} // namespace assay::frontend
