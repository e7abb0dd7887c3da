// The compound kernels that there are, and a KernelSet that runs them instead of those that are written out.
//
// Problem.  Dispatchers ask a KernelSet for a file and an entry point (decode_kernels.metal,
//           flash_decode_f16_d64). A compound kernel has the same arguments in the same places.
// Choice.   It has the same name, too, and the KernelSet asks for generated text before it reads the file: so
//           everything that dispatches one dispatches the other, checks and tests included.
#pragma once

#include "compound_kernel.h"

#include "kernels_msl/dispatch/kernel_set.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay::kernels::foundry {

struct CompoundKernel {
  std::string file; ///< that has the same kernel written out: "foundry/decode_kernels.metal"
  std::string name;
  std::vector<Stage> stages;
};

/// All of decode, prefill, both phases of prefill's Split-K, and of the preparation of new tokens.
const std::vector<CompoundKernel> &compoundKernels();

/// One of them, or null.
const CompoundKernel *findCompound(std::string_view file, std::string_view kernel);

/// The whole text of those, for KernelSet::generateFrom; nothing for other kernels.
///   folder   kernels_msl, whose foundry/ has the stages' headers
///   errors   those of composeKernel and pasteHeaders
KernelSource compoundSource(std::filesystem::path folder);

/// A set for the same folder and options that runs compound kernels.
KernelSet compoundSet(const KernelSet &kernels);

} // namespace assay::kernels::foundry
