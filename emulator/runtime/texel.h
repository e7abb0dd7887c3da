// Converts a texel in memory to four 32-bit words and back. The words hold the bits of floats or integers,
// depending on the kind of the format.
//
// source: MSL specification, section 8.7, "Texture Addressing and Conversion Rules". It leaves one case open:
// floats of 10 and 11 bits round to nearest even, and finite numbers beyond the largest become the largest,
// as in OpenGL ES 3.0, section 2.1.3 (which Apple GPUs implement for the same format) and in Vulkan.
#pragma once

#include "support/abi/pixel_format.h"

#include <cstdint>

namespace assay::runtime {

/// Channels that the format does not have read as 0, a missing alpha as 1.
void decodeTexel(const PixelFormatInfo &format, const uint8_t *texel, uint32_t (&words)[4]);
/// Adjusts floats that decodeTexel made, for a kernel that converts them to halves. The float of a fraction
/// of 16 bits may lie in the middle between two halves although the fraction does not. Such a word becomes
/// the next float on the fraction's side of the middle, so that the fraction is rounded once (8.7.1.2, "round
/// correctly").
void keepForHalves(const PixelFormatInfo &format, uint32_t (&words)[4]);
void encodeTexel(const PixelFormatInfo &format, const uint32_t (&words)[4], uint8_t *texel);

} // namespace assay::runtime
