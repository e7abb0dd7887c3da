#include "support/module_info.h"

namespace assay {

const KernelInfo *ModuleInfo::findKernel(std::string_view name) const {
  for (const KernelInfo &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

} // namespace assay
