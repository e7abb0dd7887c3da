#include "frontend/deferred_checks.h"

#include <clang/Sema/Sema.h>

namespace assay::frontend {
namespace {

using List = llvm::SmallSetVector<clang::Decl *, 4>;

List &listOf(clang::Sema &sema);

template <List clang::Sema::*kList> struct Named {
  friend List &listOf(clang::Sema &sema) { return sema.*kList; }
};
template struct Named<&clang::Sema::DeclsToCheckForDeferredDiags>;

} // namespace

size_t deferredChecks(clang::Sema &sema) {
  return listOf(sema).size();
}

void forgetDeferredChecks(clang::Sema &sema) {
  if (sema.DeviceDeferredDiags.empty())
    listOf(sema).clear();
}

} // namespace assay::frontend
