// The mask of a prompt, made on the device: causal, a sliding window, padding, the borders of documents.
//
//   PrefillMaskArguments a;
//   a.mask = ..., a.causal = true, a.window = 1024;
//   Result<DispatchReport> report = buildPrefillMask(kernels, a);   // a.mask serves prefillAttention
#pragma once

#include "kernels_msl/dispatch/kernel_set.h"
#include "kernels_msl/dispatch/tensor_view.h"

#include <cstddef>
#include <cstdint>

namespace assay::kernels {

/// buffer 1
struct PrefillMaskParams {
  int32_t qL, kL, query_offset, window;
  int64_t mask_batch, mask_row, padding_batch, documents_batch;
};
static_assert(sizeof(PrefillMaskParams) == 48 && offsetof(PrefillMaskParams, mask_batch) == 16);

struct PrefillMaskArguments {
  TensorView mask; ///< written: [qL, kL] or [B, qL, kL], bfloat or half (zeros and -inf) or bool
  bool causal = false;
  int64_t window = 0;        ///< 0: none; else query at position p sees no key up to p - window
  int64_t queryOffset = 0;   ///< the position of query 0 among the keys
  TensorView padding;        ///< optional: [B, kL] or [kL] uchar; 0 hides the key
  TensorView queryDocuments; ///< optional, with keyDocuments: [B, qL] or [qL] int, contiguous
  TensorView keyDocuments;   ///< [B, kL] or [kL] int
};

/// flash_attn_prefill_mask_*: one dispatch.
///   errors  Usage: those of checkTensor; "mask-type", "window" (negative), "query-offset", "too-long",
///           "documents" (of queries without those of keys, or the reverse; batches of queries with gaps)
Result<DispatchReport> buildPrefillMask(KernelSet &kernels, const PrefillMaskArguments &arguments);

} // namespace assay::kernels
