// A texel in memory ↔ four 32-bit words, which hold float bits or integers, as the kind of the format says.
//
// source: MSL specification, section 8.7, "Texture Addressing and Conversion Rules". What it leaves open is
// ours: a conversion from float to a small float rounds to nearest even; negative numbers become 0 in
// unsigned small floats; integers saturate; NaN becomes 0 in normalised formats.
#pragma once

#include "support/abi/pixel_format.h"

#include <cstdint>

namespace assay::runtime {

/// Channels that the format does not have read as 0, a missing alpha as 1.
void decodeTexel(const PixelFormatInfo &format, const uint8_t *texel, uint32_t (&words)[4]);
void encodeTexel(const PixelFormatInfo &format, const uint32_t (&words)[4], uint8_t *texel);

} // namespace assay::runtime
