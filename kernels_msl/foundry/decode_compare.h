// The materialised step as what METALLIC_SDPA_DEBUG_ONLINE_COMPARE compares a decode with.
#pragma once

#include "decode_step.h"

namespace assay::kernels::foundry {

/// A decode is a prefill of one row that sees all keys. A quantised cache is the same one: both read it by
/// kv_rows.h.
///   kernels   must outlive what is returned
///   errors    of a call: Usage "not-comparable", naming what the materialised step does not take
///             (fused RoPE, lengths of each batch, masks of another type than q's);
///             those of dispatchSdpaReference
MaterializedDecode materializedDecode(KernelSet &kernels);

} // namespace assay::kernels::foundry
