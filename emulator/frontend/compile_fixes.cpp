#include "frontend/compile_fixes.h"

#include "frontend/array_parameters.h"
#include "frontend/by_value_fixes.h"
#include "frontend/component_fixes.h"
#include "frontend/deduced_class_fixes.h"
#include "frontend/functional_casts.h"
#include "frontend/generic_casts.h"
#include "frontend/generic_pairs.h"
#include "frontend/local_spaces.h"
#include "frontend/operator_fixes.h"
#include "frontend/tensor_subscripts.h"
#include "frontend/undefined_constants.h"
#include "frontend/vector_lists.h"

#include <algorithm>
#include <map>
#include <vector>

namespace assay::frontend {

void CompileFixes::consider(const clang::Diagnostic &info, const ViewFileSystem &files) {
  if (!info.hasSourceManager())
    return;
  repairs_.merge(byValueFixes(info, files));
  repairs_.merge(componentFixes(info, files));
  repairs_.merge(deducedClassFixes(info, files));
  repairs_.merge(genericPairFixes(info, files));
  repairs_.merge(localSpaceFixes(info, files));
  repairs_.merge(operatorFixes(info, files));
  repairs_.merge(tensorSubscriptFixes(info, files));
  repairs_.merge(undefinedConstantFixes(info, files));
  repairs_.merge(strings_.consider(info, files));
  repairs_.merge(braces_.consider(info, files));
  trials_.merge(lists_.consider(info, files));
  trials_.merge(splatFixes(info, files));
  trials_.merge(choiceFixes(info, files));
  trials_.merge(functionalCastFixes(info, files));
  trials_.merge(conversions_.consider(info, files));
  trials_.merge(arrayParameterFixes(info, files));
  trials_.merge(templateArgumentFixes(info, files));
  trials_.merge(genericCastFixes(info, files));
  lastTrials_.merge(vectorListFixes(info, files));
  lastTrials_.merge(memories_.consider(info, files));
}

// Whether one of them is new. A fix that became outdated never comes back, so that fixes come to an end.
bool CompileFixes::add(const std::set<SourceFix> &fixes) {
  bool added = false;
  for (const SourceFix &fix : fixes) {
    if (applied_.count(fix) || outdated_.count(fix))
      continue;
    const auto isOld = [&](const SourceFix &other) {
      return fix.replaces && other.replaces && fix.file == other.file && fix.begin < other.end &&
             other.begin < fix.end;
    };
    for (auto old = applied_.begin(); (old = std::find_if(old, applied_.end(), isOld)) != applied_.end();)
      outdated_.insert(applied_.extract(old++));
    added |= applied_.insert(fix).second;
  }
  return added;
}

CompileFixes::Applied CompileFixes::apply(ViewFileSystem &files) {
  Applied kind = add(repairs_) ? Applied::Repairs : Applied::Nothing;
  for (const std::set<SourceFix> *trials : {&trials_, &lastTrials_})
    if (kind == Applied::Nothing && add(*trials))
      kind = Applied::Trial;
  repairs_.clear();
  trials_.clear();
  lastTrials_.clear();
  if (kind == Applied::Nothing)
    return kind;
  std::map<std::string, std::vector<Edit>> insertions;
  for (const SourceFix &fix : applied_) {
    insertions[fix.file].push_back({fix.begin, 0, fix.before + (fix.replaces ? "/*" : "")});
    if (fix.replaces || !fix.after.empty())
      insertions[fix.file].push_back({fix.end, 0, (fix.replaces ? "*/" : "") + fix.after});
  }
  for (auto &[file, edits] : insertions)
    files.insert(file, std::move(edits));
  return kind;
}

} // namespace assay::frontend
