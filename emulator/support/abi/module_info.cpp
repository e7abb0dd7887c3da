#include "support/abi/module_info.h"

namespace assay {

const OtherFunctionInfo *ModuleInfo::findOther(std::string_view name) const {
  for (const OtherFunctionInfo &other : otherFunctions)
    if (other.name == name)
      return &other;
  return nullptr;
}

const KernelInfo *ModuleInfo::findKernel(std::string_view name) const {
  for (const KernelInfo &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

} // namespace assay
