#include "support/abi/kernel_signatures.h"

#include <set>

namespace assay {

std::vector<size_t> firstOfEachSignature(const ModuleInfo &module) {
  std::vector<size_t> indices;
  std::set<std::vector<std::string>> seen;
  for (size_t i = 0; i < module.kernels.size(); ++i) {
    std::vector<std::string> signature{module.kernels[i].function};
    for (const ArgumentInfo &argument : module.kernels[i].arguments)
      signature.push_back(argument.type);
    if (seen.insert(std::move(signature)).second)
      indices.push_back(i);
  }
  return indices;
}

} // namespace assay
