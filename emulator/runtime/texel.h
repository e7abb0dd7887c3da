// Converts a texel in memory to four 32-bit words and back. The words hold the bits of floats or integers,
// depending on the kind of the format.
//
// source: MSL specification, section 8.7, "Texture Addressing and Conversion Rules". It leaves some cases
// open, for which Assay decides: a conversion from float to a small float rounds to nearest even; negative
// numbers become 0 in unsigned small floats; integers saturate; NaN becomes 0 in normalised formats.
#pragma once

#include "support/abi/pixel_format.h"

#include <cstdint>

namespace assay::runtime {

/// Channels that the format does not have read as 0, a missing alpha as 1.
void decodeTexel(const PixelFormatInfo &format, const uint8_t *texel, uint32_t (&words)[4]);
void encodeTexel(const PixelFormatInfo &format, const uint32_t (&words)[4], uint8_t *texel);

} // namespace assay::runtime
