// See texel.h.
//
// Choice.   One decoder and one encoder for all formats: a texel is at most two 64-bit words, a channel a
//           field of one of them, and the kind of the format says what a field means.
// Rejected. A function for each format: dozens of them, and only a little faster.
// Exact.    Nothing here depends on MXCSR: no step has a subnormal operand or result.
#include "runtime/texel.h"

#include "support/numbers/float_bits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace assay::runtime {
namespace {

struct Words {
  uint64_t word[2] = {};

  uint32_t field(PixelChannel channel) const {
    const uint64_t from = word[channel.first / 64] >> channel.first % 64;
    return uint32_t(from & ((uint64_t(1) << channel.bits) - 1));
  }
  void setField(PixelChannel channel, uint32_t value) {
    word[channel.first / 64] |= uint64_t(value) << channel.first % 64;
  }
};

void copyTexel(void *to, const void *from, uint32_t bytes) {
  switch (bytes) { // a constant size is a move
  case 1: std::memcpy(to, from, 1); break;
  case 2: std::memcpy(to, from, 2); break;
  case 4: std::memcpy(to, from, 4); break;
  case 8: std::memcpy(to, from, 8); break;
  default: std::memcpy(to, from, 16);
  }
}

uint32_t ones(uint32_t bits) {
  return uint32_t((uint64_t(1) << bits) - 1);
}
int32_t signedField(uint32_t field, uint32_t bits) {
  return int32_t(field << (32 - bits)) >> (32 - bits);
}

// To the nearest integer, ties to even; 0 <= x < 2^22.
uint32_t roundEven(float x) {
  constexpr float kBig = 0x1p23f;
  return uint32_t((x + kBig) - kBig);
}

// ---- sRGB ----

double linearFromSrgb(double c) {
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

// Both directions as tables in real arithmetic, so that they do not depend on any powf.
struct SrgbTables {
  std::array<float, 256> linear;
  /// The smallest linear value that converts to i + 1: round(255 * srgb(x)), ties up.
  std::array<float, 255> step;

  SrgbTables() {
    for (int i = 0; i < 256; ++i)
      linear[i] = float(linearFromSrgb(i / 255.0));
    for (int i = 0; i < 255; ++i) {
      const double exact = linearFromSrgb((i + 0.5) / 255.0);
      step[i] = float(exact);
      if (double(step[i]) < exact)
        step[i] = std::nextafter(step[i], 2.0f);
    }
  }
};
const SrgbTables kSrgb;

uint32_t srgbFromLinear(float c) {
  return uint32_t(std::upper_bound(kSrgb.step.begin(), kSrgb.step.end(), c) - kSrgb.step.begin());
}

// ---- shared exponent: a 9-bit fraction of each channel, 5 bits of exponent, bias 15 ----

constexpr int kSharedFractionBits = 9, kSharedBias = 15;
constexpr float kSharedMost = 65408.0f; // 511/512 * 2^16

float sharedScale(int exponent) { // the value of a fraction's lowest bit
  return std::bit_cast<float>(uint32_t(exponent - kSharedBias - kSharedFractionBits + 127) << 23);
}

// To the nearest integer, ties up; x + 0.5 may be no float.
uint32_t toFraction(float x) {
  const float whole = std::floor(x);
  return uint32_t(whole) + (x - whole >= 0.5f);
}

void encodeShared(const PixelFormatInfo &format, const std::array<float, 4> &c, Words &out) {
  float channel[3], most = 0;
  for (int i = 0; i < 3; ++i) {
    channel[i] = c[i] > 0 ? std::min(c[i], kSharedMost) : 0; // NaN, too
    most = std::max(most, channel[i]);
  }
  int exponent = std::max(0, int(std::bit_cast<uint32_t>(most) >> 23) - 127 + 1 + kSharedBias);
  if (toFraction(most / sharedScale(exponent)) == 512)
    ++exponent;
  for (int i = 0; i < 3; ++i)
    out.setField(format.channels[i], toFraction(channel[i] / sharedScale(exponent)));
  out.word[0] |= uint64_t(exponent) << 27;
}

// ---- one channel ----

float decodeFloat(uint32_t field, uint32_t bits) {
  if (bits == 32)
    return std::bit_cast<float>(field);
  if (bits == 16)
    return floatFromHalf(uint16_t(field));
  return floatFromHalf(uint16_t(field << (15 - bits))); // 11 or 10 bits: a half without sign and last bits
}

uint32_t encodeSmallFloat(float value, uint32_t bits) {
  const uint32_t from = std::bit_cast<uint32_t>(value);
  const bool negative = from >> 31, nan = isNanBits(from);
  if (negative && !nan)
    return 0;
  const uint32_t most = bits == 11 ? 0x7bf : 0x3df; // the largest finite number
  if (!nan && value >= decodeFloat(most, bits) && !std::isinf(value))
    return most;
  const uint64_t to = bits == 11 ? narrowFloatBits<23, 8, 6, 5>(from) : narrowFloatBits<23, 8, 5, 5>(from);
  return uint32_t(to) & ones(bits);
}

uint32_t encodeUnorm(float c, uint32_t bits) {
  if (!(c > 0)) // NaN, too
    return 0;
  return c >= 1 ? ones(bits) : roundEven(c * float(ones(bits)));
}

uint32_t encodeSnorm(float c, uint32_t bits) {
  if (c != c)
    return 0;
  const float scale = float(ones(bits - 1));
  const uint32_t magnitude = roundEven(std::min(std::fabs(c), 1.0f) * scale);
  return (c < 0 ? 0 - magnitude : magnitude) & ones(bits);
}

uint32_t decodeChannel(PixelKind kind, uint32_t field, uint32_t bits, bool alpha) {
  switch (kind) {
  case PixelKind::Uint: return field;
  case PixelKind::Sint: return uint32_t(signedField(field, bits));
  case PixelKind::Float: return std::bit_cast<uint32_t>(decodeFloat(field, bits));
  case PixelKind::Snorm:
    return std::bit_cast<uint32_t>(std::max(-1.0f, float(signedField(field, bits)) / float(ones(bits - 1))));
  case PixelKind::Srgb:
    if (!alpha)
      return std::bit_cast<uint32_t>(kSrgb.linear[field]);
    [[fallthrough]];
  default: return std::bit_cast<uint32_t>(float(field) / float(ones(bits)));
  }
}

uint32_t encodeChannel(PixelKind kind, uint32_t word, uint32_t bits, bool alpha) {
  const float value = std::bit_cast<float>(word);
  switch (kind) {
  case PixelKind::Uint: return std::min(word, ones(bits));
  case PixelKind::Sint: {
    const int32_t most = int32_t(ones(bits - 1));
    return uint32_t(std::clamp(int32_t(word), -most - 1, most)) & ones(bits);
  }
  case PixelKind::Float:
    return bits == 32 ? word : bits == 16 ? halfFromFloat(value) : encodeSmallFloat(value, bits);
  case PixelKind::Snorm: return encodeSnorm(value, bits);
  case PixelKind::Srgb:
    if (!alpha)
      return srgbFromLinear(value > 0 ? value : 0);
    [[fallthrough]];
  default: return encodeUnorm(value, bits);
  }
}

} // namespace

void decodeTexel(const PixelFormatInfo &format, const uint8_t *texel, uint32_t (&words)[4]) {
  Words in;
  copyTexel(&in, texel, format.bytes);
  for (int i = 0; i < 4; ++i) {
    const PixelChannel channel = format.channels[i];
    if (!channel.bits)
      words[i] = i < 3 ? 0 : format.isInteger() ? 1 : std::bit_cast<uint32_t>(1.0f);
    else if (format.kind == PixelKind::SharedExponent)
      words[i] = std::bit_cast<uint32_t>(float(in.field(channel)) * sharedScale(int(in.word[0] >> 27)));
    else
      words[i] = decodeChannel(format.kind, in.field(channel), channel.bits, i == 3);
  }
}

void keepForHalves(const PixelFormatInfo &format, uint32_t (&words)[4]) {
  if ((format.kind != PixelKind::Unorm && format.kind != PixelKind::Snorm) || format.channels[0].bits != 16)
    return;
  const float most = float(ones(format.kind == PixelKind::Unorm ? 16 : 15));
  for (uint32_t &word : words) {
    const float value = std::bit_cast<float>(word);
    const double exact = double(value) * double(most), number = std::nearbyint(exact);
    if ((word & 0x1fff) == 0x1000 && float(number) / most == value) // not one that a filter mixed
      word += std::fabs(exact) < std::fabs(number) ? 1 : -1;
  }
}

void encodeTexel(const PixelFormatInfo &format, const uint32_t (&words)[4], uint8_t *texel) {
  Words out;
  if (format.kind == PixelKind::SharedExponent)
    encodeShared(
        format,
        {std::bit_cast<float>(words[0]), std::bit_cast<float>(words[1]), std::bit_cast<float>(words[2]), 0},
        out);
  else
    for (int i = 0; i < 4; ++i)
      if (const PixelChannel channel = format.channels[i]; channel.bits)
        out.setField(channel, encodeChannel(format.kind, words[i], channel.bits, i == 3));
  copyTexel(texel, &out, format.bytes);
}

} // namespace assay::runtime
