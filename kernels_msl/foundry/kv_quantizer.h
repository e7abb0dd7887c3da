// The policy that makes an int8 cache of one of halves or bfloats. Steps know only the format that it declares.
//
// A scale is the largest magnitude of its 32 keys and chunk, divided by 127 and rounded to the scale's type; a byte is
// the element divided by the scale, rounded to nearest even and kept in -127..127. Where a scale rounds to 0 (halves:
// magnitudes below about 3.8e-6), all its bytes are 0. Magnitudes count from 0, so -128 is never used.
// How far off: half a scale, plus what a scale that was rounded down cannot reach, 127 / 2048 of it for normal halves.
#pragma once

#include "kv_format.h"

namespace assay::kernels::foundry {

/// The first `length` keys of a cache; after them bytes and scales are 0.
///   rows     [batch, kv_heads, capacity, head_dim], half or bfloat
///   errors   Usage: those of checkTensor and checkKvFormat; "tensor-type"; "kv-length"; "kv-finite" (an infinity or a
///            NaN, which int8 has no byte for: names the place)
Result<KvTensor> quantizeKv(const Device &device, const TensorView &rows, int64_t length,
                            const KvFormat &format = {});

} // namespace assay::kernels::foundry
