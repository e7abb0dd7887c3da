// Dispatch of the gated delta rule as a recurrence: gated_delta_net.metal and gated_delta_net_decode.metal.
#pragma once

#include "kernels_msl/dispatch/kernel_set.h"
#include "kernels_msl/dispatch/tensor_view.h"

#include <string>

namespace assay::kernels {

/// All float, without gaps. A token's decay is exp(-g); the scale of the queries is the caller's. Value head
/// h reads key head h mod n_k.
struct GatedDeltaNetArguments {
  TensorView q, k;     ///< [sequences, tokens, n_k, D_k]
  TensorView v;        ///< [sequences, tokens, n_v, D_v]
  TensorView g, beta;  ///< [sequences, tokens, n_v]
  TensorView stateIn;  ///< [sequences, n_v, D_v, D_k]
  TensorView output;   ///< as v
  TensorView stateOut; ///< as stateIn; may be the same
};

struct GatedDeltaNetReport {
  std::string kernel;
  DispatchReport dispatch;
};

/// What both dispatchers, and the pipeline that replaces them, ask of these arguments.
///   errors   of checkTensor; "stride", "size-limit", "head-count"
Result<void> checkGatedDeltaNet(const GatedDeltaNetArguments &arguments);

/// Any number of tokens, one threadgroup a head.
///   errors   as above; "head-dim": D_k is over 128 or D_v over 1,024
Result<GatedDeltaNetReport> dispatchGatedDeltaNet(KernelSet &set, const GatedDeltaNetArguments &arguments);

/// For few tokens: a row of the state lies across a simdgroup. The same result up to the order of sums.
///   errors   as above; "head-dim": D_k is not 32, 64 or 128, or D_k / 32 does not divide D_v
Result<GatedDeltaNetReport> dispatchGatedDeltaNetDecode(KernelSet &set,
                                                        const GatedDeltaNetArguments &arguments);

} // namespace assay::kernels
