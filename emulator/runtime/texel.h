// A texel in memory ↔ four 32-bit words, which hold float bits or integers, as the kind of the format says.
//
// source: MSL specification, section 8.7, "Texture Addressing and Conversion Rules". What it leaves open:
// floats of 10 and 11 bits round to nearest even, and finite numbers beyond the largest become the largest
// (OpenGL ES 3.0, section 2.1.3, which Apple GPUs implement for the same format, and Vulkan).
#pragma once

#include "support/abi/pixel_format.h"

#include <cstdint>

namespace assay::runtime {

/// Channels that the format does not have read as 0, a missing alpha as 1.
void decodeTexel(const PixelFormatInfo &format, const uint8_t *texel, uint32_t (&words)[4]);
void encodeTexel(const PixelFormatInfo &format, const uint32_t (&words)[4], uint8_t *texel);

} // namespace assay::runtime
