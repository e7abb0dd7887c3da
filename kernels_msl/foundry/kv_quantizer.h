// The policy that packs a cache of halves or bfloats into a format, which is all that steps know of it.
//
// Outliers  first: of each block of keys the outliersPerBlock elements of the largest magnitudes, which are
//           not 0, go to the side table as they are; of equals the first in the block. Their packed bits are
//           0, and scales do not count them.
// Scales    without zero points: the largest magnitude of the group, divided by 127 or 7.
//           With zero points: the distance from the least to the largest element, 0 among them, divided by
//           255 or 15. Either is rounded to the scale's type.
// Zeros     -128 or -8 minus the least element over the scale; to the nearest integer for char, else rounded
//           to the type.
// Numbers   the element over the scale, plus the zero point, to the nearest even, kept in -127..127 or -7..7,
//           with zero points in -128..127 or -8..7. Where a scale rounds to 0 (halves: magnitudes below about
//           3.8e-6 for bytes) numbers and zero points are 0.
//
// How far off, in scales that are normal numbers of their type: a half where the number was not kept in
// range. At the ends it is what the range does not reach: the scale was rounded down by at most 2^-11 of
// 127 or 255 (7 or 15) scales, and a zero point of char moved the range by at most a half. So at most 5/8 for
// bytes and 0.508 for nibbles, and 2^-14 more for the two operations in float.
#pragma once

#include "kv_format.h"

namespace assay::kernels::foundry {

/// The first `length` keys of a cache; after them bytes and scales are 0.
///   rows     [batch, kv_heads, capacity, head_dim], half or bfloat
///   errors   Usage: those of checkTensor and checkKvFormat; "tensor-type"; "kv-length"; "kv-packing" (an odd
///            head_dim as nibbles; tile by tile, and keys that are no whole blocks); "kv-finite" (an infinity
///            or a NaN, which a scaled number cannot be: names the place); "kv-scales" (a scale past the
///            range of its type); "too-large" (a side table of more than 2^32 words)
Result<KvTensor> quantizeKv(const Device &device, const TensorView &rows, int64_t length,
                            const KvFormat &format = {});

} // namespace assay::kernels::foundry
