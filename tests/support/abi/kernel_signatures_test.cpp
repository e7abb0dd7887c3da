#include "support/abi/kernel_signatures.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

KernelInfo kernelOf(const std::string &name, const std::string &function,
                    const std::vector<std::string> &types) {
  KernelInfo kernel;
  kernel.name = name;
  kernel.function = function;
  for (const std::string &type : types)
    kernel.arguments.emplace_back().type = type;
  return kernel;
}

TEST(KernelSignatures, TheFirstOfEachFunctionAndListOfTypes) {
  ModuleInfo module;
  EXPECT_THAT(firstOfEachSignature(module), IsEmpty());
  module.kernels = {kernelOf("i1", "f", {"device int *"}),         kernelOf("i2", "f", {"device int *"}),
                    kernelOf("h1", "f", {"device half *"}),        kernelOf("g1", "g", {"device int *"}),
                    kernelOf("i3", "f", {"device int *", "uint"}), kernelOf("h2", "f", {"device half *"})};
  EXPECT_THAT(firstOfEachSignature(module), ElementsAre(0, 2, 3, 4));
}

} // namespace
} // namespace assay
