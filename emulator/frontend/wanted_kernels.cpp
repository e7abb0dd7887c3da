#include "frontend/wanted_kernels.h"

#include "frontend/annotations.h"

namespace assay::frontend {

bool WantedKernels::wants(const clang::FunctionDecl *kernel) const {
  return all() || names_.contains(kernelName(kernel, metalPolicy(kernel->getASTContext())));
}

void WantedKernels::InstantiationRequested(const clang::ValueDecl *declaration) {
  const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
  if (function && function->getTemplateSpecializationKind() == clang::TSK_ExplicitInstantiationDefinition &&
      annotation(function, "kernel") && !wants(function))
    const_cast<clang::FunctionDecl *>(function)->setInvalidDecl();
}

} // namespace assay::frontend
