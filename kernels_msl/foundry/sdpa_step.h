// Attention with all scores in memory: the step that a caller picks by name,
// and that no other step falls back to.
#pragma once

#include "prefill_arguments.h"

namespace assay::kernels::foundry {

struct SdpaReport {
  size_t scratchBytes = 0; ///< of scores
  uint64_t threadgroups = 0;
};

/// Three dispatches (sdpa_reference.metal): scores, softmax, products with V. Any head_dim. A quantised cache
/// is read in place as the online kernels read it; who picks this step by name needs no capability for that.
///   errors   those of checkPrefill; Usage "scratch" (scores that do not fit into memory);
///            those of a dispatch
Result<SdpaReport> dispatchSdpaReference(KernelSet &kernels, const PrefillArguments &arguments);

/// Foundry's name for it.
class SdpaReferenceStep {
public:
  explicit SdpaReferenceStep(KernelSet &kernels) : kernels_(kernels) {}
  Result<SdpaReport> run(const PrefillArguments &arguments) {
    return dispatchSdpaReference(kernels_, arguments);
  }

private:
  KernelSet &kernels_;
};

} // namespace assay::kernels::foundry
