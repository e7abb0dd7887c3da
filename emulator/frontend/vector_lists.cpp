#include "frontend/vector_lists.h"

#include "frontend/list_arguments.h"

#include <clang/Basic/DiagnosticSema.h>

namespace assay::frontend {

std::set<SourceFix> vectorListFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const unsigned id = info.getID();
  if (id != clang::diag::err_ovl_ambiguous_call && id != clang::diag::err_ovl_ambiguous_member_call)
    return {};
  const auto call = writtenTokenAt(info.getSourceManager(), info.getLocation(), files);
  std::set<SourceFix> fixes;
  if (call)
    for (const Argument &list : listsIn(*call)) {
      const RawToken &close = call->tokens[list.last];
      fixes.insert({call->file, call->tokens[list.first].offset, close.offset + close.length,
                    "__assay_vector_of_list(", ")"});
    }
  return fixes;
}

} // namespace assay::frontend
