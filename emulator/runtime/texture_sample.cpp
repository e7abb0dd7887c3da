// See texture_sample.h.
//
// Assumed, because neither Metal nor a measurement says it: weights are floats; a level of detail from
// gradients keeps 16 binary places; anisotropy is ignored; a level halfway between two is rounded up for
// mip_filter::nearest; where two components of a cube's direction are equal, z takes precedence over y, and y
// over x; at the corner of a cube, where three faces meet, the fourth texel is the mean of the three, for
// integers rounded towards zero; a gather reads level 0, whatever the sampler's lod_clamp, which holds for a
// sample without a level; coordinates that are not numbers count as 0; a layer past the last is the last one,
// as in Vulkan and Direct3D (Metal's rules of accesses out of bounds name reads and writes only).
#include "runtime/texture_sample.h"

#include "runtime/texel.h"
#include "support/numbers/float_bits.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace assay::runtime {
namespace {

using namespace __assay_texture;

// The options by Metal's names: kPixel, kClampToZero, kLess, kOpaqueWhite, ...
enum Coord : uint32_t {
#define ASSAY_COORD(metal, host, number) k##host = number,
#include "msl_shim/detail/sampler_options.def"
};
enum Address : uint32_t {
#define ASSAY_ADDRESS(metal, host, number) k##host = number,
#include "msl_shim/detail/sampler_options.def"
};
enum class Mip : uint32_t {
#define ASSAY_MIP_FILTER(metal, host, number) host = number,
#include "msl_shim/detail/sampler_options.def"
};
enum CompareFunction : uint32_t {
#define ASSAY_COMPARE_FUNC(metal, host, number) k##host = number,
#include "msl_shim/detail/sampler_options.def"
};
enum Border : uint32_t {
#define ASSAY_BORDER_COLOR(metal, host, number) k##host = number,
#include "msl_shim/detail/sampler_options.def"
};

struct Sampler {
  uint64_t bits;
  uint32_t field(unsigned first, unsigned width) const {
    return uint32_t(bits >> first) & ((1u << width) - 1);
  }
  bool pixels() const { return field(kCoordBit, 1) == kPixel; }
  uint32_t address(int dimension) const { return field(kSAddressBit + 3 * unsigned(dimension), 3); }
  bool linear(bool magnified) const { return field(magnified ? kMagFilterBit : kMinFilterBit, 1) != 0; }
  bool bicubic(bool magnified) const { return field(magnified ? kMagBicubicBit : kMinBicubicBit, 1) != 0; }
  bool reduces() const { return field(kReductionBit, 2) != 0; }
  bool biased() const { return field(kBiasBit, 1) != 0; }
  Mip mip() const { return Mip(field(kMipFilterBit, 2)); }
  float lodMin() const { return floatFromHalf(uint16_t(field(kLodMinBit, 16))); }
  float lodMax() const { return floatFromHalf(uint16_t(field(kLodMaxBit, 16))); }
};

/// Four components, as floats or as the integers of an integer format.
struct Texel {
  uint32_t word[4] = {};
  float f(int i) const { return std::bit_cast<float>(word[i]); }
};

Texel mix(const Texel &a, const Texel &b, float weight) {
  if (weight == 0)
    return a;
  Texel result;
  for (int i = 0; i < 4; ++i)
    result.word[i] = std::bit_cast<uint32_t>((1 - weight) * a.f(i) + weight * b.f(i));
  return result;
}

constexpr int64_t kFar = int64_t(1) << 40; // beyond any texture; keeps sums in range

int64_t toIndex(float floored) {
  if (floored != floored)
    return 0;
  return floored >= float(kFar) ? kFar : floored <= -float(kFar) ? -kFar : int64_t(floored);
}

/// One coordinate before its address mode: two neighbours, and the weight of the second.
struct Place {
  int64_t index;
  float weight = 0;
};
Place nearestPlace(float u) {
  return {toIndex(std::floor(u))};
}
Place linearPlace(float u) {
  const float floored = std::floor(u - 0.5f), weight = (u - 0.5f) - floored;
  return {toIndex(floored), weight >= 0 && weight < 1 ? weight : 0};
}

constexpr int64_t kBorder = -1;
constexpr uint32_t kMirrorClampToEdge = 1; // MTLSamplerAddressMode's; MSL has no word for it

void swizzle(const TextureView &texture, uint32_t (&words)[4]) {
  if (texture.swizzle == kNoSwizzle)
    return;
  const uint32_t one = texture.format->isInteger() ? 1 : std::bit_cast<uint32_t>(1.0f);
  const uint32_t from[] = {0, one, words[0], words[1], words[2], words[3]};
  for (int i = 0; i < 4; ++i)
    words[i] = from[size_t(texture.swizzle[size_t(i)])];
}

/// The texel that an index selects, or kBorder.
int64_t wrap(int64_t i, int64_t extent, uint32_t address) {
  const auto modulo = [](int64_t a, int64_t n) { return (a % n + n) % n; };
  switch (address) {
  case kRepeat: return modulo(i, extent);
  case kMirrorRepeat: {
    const int64_t in = modulo(i, 2 * extent);
    return in < extent ? in : 2 * extent - 1 - in;
  }
  case kMirrorClampToEdge: return std::min(i < 0 ? -1 - i : i, extent - 1);
  case kClampToZero:
  case kClampToBorderColor: return i < 0 || i >= extent ? kBorder : i;
  default: return std::clamp<int64_t>(i, 0, extent - 1);
  }
}

// ---- cubes ----

struct CubePlace {
  uint32_t face;
  float s, t; ///< on the face, 0 to 1
  float ma;   ///< the largest component, and its sign
  float sc, tc;
};

// source: MSL specification, section 6.12.6: +x, -x, +y, -y, +z, -z. The projections are those of OpenGL and
// Direct3D.
CubePlace cubePlace(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  CubePlace p{};
  if (az >= ax && az >= ay)
    p = z >= 0 ? CubePlace{4, 0, 0, az, x, -y} : CubePlace{5, 0, 0, az, -x, -y};
  else if (ay >= ax)
    p = y >= 0 ? CubePlace{2, 0, 0, ay, x, z} : CubePlace{3, 0, 0, ay, x, -z};
  else
    p = x >= 0 ? CubePlace{0, 0, 0, ax, -z, -y} : CubePlace{1, 0, 0, ax, z, -y};
  p.s = 0.5f * (p.sc / p.ma + 1);
  p.t = 0.5f * (p.tc / p.ma + 1);
  return p;
}

struct Direction {
  float x, y, z;
};
Direction cubeDirection(uint32_t face, float sc, float tc) {
  switch (face) {
  case 0: return {1, -tc, -sc};
  case 1: return {-1, -tc, sc};
  case 2: return {sc, 1, tc};
  case 3: return {sc, -1, -tc};
  case 4: return {sc, -tc, 1};
  default: return {-sc, -tc, -1};
  }
}

// ---- one sample ----

class Sampling {
public:
  Sampling(const TextureView &texture, uint64_t bits, const SampleRequest &request)
      : texture_(texture), type_(textureTypeInfo(texture.type)), format_(*texture.format), sampler_{bits},
        request_(request), layer_(type_.arrayed ? std::min(request.layer, texture.arrayLength - 1) : 0) {}

  TextureMistake run(uint32_t (&out)[4]) {
    if (sampler_.pixels())
      for (int i = 0; i < type_.coordinates; ++i)
        if (sampler_.address(i) == kRepeat || sampler_.address(i) == kMirrorRepeat)
          return TextureMistake::RepeatedPixels;
    // source: MSL specification, section 6.12
    for (int32_t offset : request_.offset)
      if (offset < -8 || offset > 7)
        return TextureMistake::FarOffset;
    const float lod = levelOfDetail();
    const bool gather = request_.operation == kGather || request_.operation == kGatherCompare;
    if (!gather && sampler_.bicubic(!(lod > 0)))
      return TextureMistake::BicubicFilter;
    if (!gather && sampler_.biased())
      return TextureMistake::SamplerBias;
    linear_ = gather || sampler_.linear(!(lod > 0));
    if ((linear_ || sampler_.mip() == Mip::Linear) && !gather && format_.isInteger())
      return TextureMistake::LinearIntegers;
    if ((linear_ || sampler_.mip() == Mip::Linear) && !gather && sampler_.reduces())
      return TextureMistake::Reduction;
    const Texel texel = gather ? gathered() : filteredLevels(lod);
    for (int i = 0; i < 4; ++i)
      out[i] = blended_ && isNanBits(texel.word[i]) ? kCanonicalNanFloat : texel.word[i];
    return TextureMistake::None;
  }

private:
  // ---- which level ----

  float levelOfDetail() const {
    float lod = 0;
    if (request_.lodKind == kLevelLod || request_.lodKind == kBiasLod)
      lod = request_.lod;
    else if (request_.lodKind == kGradientLod)
      lod = log2Of(std::max(lengthOf(request_.dx), lengthOf(request_.dy)));
    lod = std::max(std::min(lod, sampler_.lodMax()), sampler_.lodMin());
    lod = std::max(lod, request_.minLod);
    return lod == lod ? lod : 0;
  }

  // In texels of level 0.
  double lengthOf(const float (&d)[3]) const {
    double v[3] = {d[0], d[1], d[2]};
    int count = type_.coordinates;
    if (type_.faces > 1) {
      const CubePlace p = cubePlace(request_.coordinate[0], request_.coordinate[1], request_.coordinate[2]);
      const Direction axis = cubeDirection(p.face, 0, 0);
      const double dma = axis.x * v[0] + axis.y * v[1] + axis.z * v[2];
      const Direction sAxis = cubeDirection(p.face, 1, 0), tAxis = cubeDirection(p.face, 0, 1);
      const auto along = [&](const Direction &a) {
        return (a.x - axis.x) * v[0] + (a.y - axis.y) * v[1] + (a.z - axis.z) * v[2];
      };
      const double ds = along(sAxis), dt = along(tAxis), ma = p.ma;
      v[0] = 0.5 * (ds * ma - p.sc * dma) / (ma * ma);
      v[1] = 0.5 * (dt * ma - p.tc * dma) / (ma * ma);
      count = 2;
    }
    const TextureLevel &base = texture_.levels[0];
    const uint32_t extent[3] = {base.width, base.height, base.depth};
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      const double texels = sampler_.pixels() ? v[i] : v[i] * extent[i];
      sum += texels * texels;
    }
    return std::sqrt(sum);
  }

  // 16 binary places, truncated. By squaring, so that it is the same with every C library.
  static float log2Of(double x) {
    if (!(x > 0))
      return -INFINITY;
    if (std::isinf(x))
      return INFINITY;
    int exponent = 0;
    double m = std::frexp(x, &exponent) * 2; // 1 <= m < 2
    uint32_t fraction = 0;
    for (int i = 0; i < 16; ++i) {
      m *= m;
      fraction *= 2;
      if (m >= 2) {
        m *= 0.5;
        fraction += 1;
      }
    }
    return float(exponent - 1) + float(fraction) * 0x1p-16f;
  }

  Texel filteredLevels(float lod) {
    const float last = float(texture_.levelCount - 1);
    const float clamped = std::clamp(lod, 0.0f, last);
    switch (sampler_.mip()) {
    case Mip::Nearest: return filtered(uint32_t(std::floor(clamped + 0.5f)));
    case Mip::Linear: {
      const float floored = std::floor(clamped), weight = clamped - floored;
      const Texel fine = filtered(uint32_t(floored));
      if (weight == 0)
        return fine;
      blended_ = true;
      return mix(fine, filtered(uint32_t(floored) + 1), weight);
    }
    default: return filtered(0);
    }
  }

  // ---- which texels ----

  float texelCoordinate(int dimension, uint32_t extent) const {
    const float c = request_.coordinate[dimension];
    return sampler_.pixels() ? c : c * float(extent);
  }

  Texel filtered(uint32_t number) {
    const TextureLevel &level = texture_.levels[number];
    if (type_.faces > 1)
      return filteredCube(level);
    const uint32_t extent[3] = {level.width, level.height, level.depth};
    Place place[3] = {{0}, {0}, {0}};
    for (int i = 0; i < type_.coordinates; ++i) {
      const float u = texelCoordinate(i, extent[i]);
      place[i] = linear_ ? linearPlace(u) : nearestPlace(u);
      place[i].index += request_.offset[i];
    }
    if (!linear_)
      return compared(at(level, place[0].index, place[1].index, place[2].index));
    blended_ = true;
    const auto row = [&](int64_t y, int64_t z) {
      const Texel a = compared(at(level, place[0].index, y, z));
      return place[0].weight == 0 ? a
                                  : mix(a, compared(at(level, place[0].index + 1, y, z)), place[0].weight);
    };
    const auto plane = [&](int64_t z) {
      const Texel a = row(place[1].index, z);
      return place[1].weight == 0 ? a : mix(a, row(place[1].index + 1, z), place[1].weight);
    };
    const Texel a = plane(place[2].index);
    return place[2].weight == 0 ? a : mix(a, plane(place[2].index + 1), place[2].weight);
  }

  // The texels of a linear filter: (i,j+1), (i+1,j+1), (i+1,j), (i,j).
  Texel gathered() {
    const TextureLevel &level = texture_.levels[0];
    Texel corner[4];
    if (type_.faces > 1) {
      const CubeCorners c = cubeCorners(level);
      for (int n = 0; n < 4; ++n)
        corner[n] = compared(c.texel[n]);
    } else {
      const uint32_t extent[2] = {level.width, level.height};
      int64_t i[2];
      for (int d = 0; d < 2; ++d)
        i[d] = linearPlace(texelCoordinate(d, extent[d])).index + request_.offset[d];
      for (int n = 0; n < 4; ++n)
        corner[n] = compared(at(level, i[0] + (n & 1), i[1] + (n >> 1), 0));
    }
    const bool compare = request_.operation == kGatherCompare;
    const uint32_t component = compare ? 0 : request_.component & 3;
    Texel result;
    constexpr int kOrder[4] = {2, 3, 1, 0};
    for (int n = 0; n < 4; ++n)
      result.word[n] = corner[kOrder[n]].word[component];
    return result;
  }

  Texel at(const TextureLevel &level, int64_t x, int64_t y, int64_t z) const {
    const int64_t wrapped[3] = {wrap(x, level.width, sampler_.address(0)),
                                type_.coordinates > 1 ? wrap(y, level.height, sampler_.address(1)) : 0,
                                type_.coordinates > 2 ? wrap(z, level.depth, sampler_.address(2)) : 0};
    for (int i = 0; i < type_.coordinates; ++i)
      if (wrapped[i] == kBorder)
        return border(sampler_.address(i));
    return load(level, uint64_t(wrapped[0]), uint64_t(wrapped[1]), uint64_t(wrapped[2]), 0);
  }

  Texel load(const TextureLevel &level, uint64_t x, uint64_t y, uint64_t z, uint32_t face) const {
    const uint64_t slice = uint64_t(layer_) * type_.faces + face;
    Texel texel;
    loadTexel(texture_,
              level.base + (type_.arrayed || face ? slice : 0) * level.sliceBytes + z * level.imageBytes +
                  y * level.rowBytes + x * format_.bytes,
              texel.word);
    return texel;
  }

  // source: Metal's MTLSamplerAddressMode: clamp to zero is opaque if the format has no alpha. The swizzle is
  // for the border, too, as in Vulkan.
  Texel border(uint32_t address) const {
    const uint32_t one = format_.isInteger() ? 1 : std::bit_cast<uint32_t>(1.0f);
    const uint32_t color =
        address == kClampToZero ? uint32_t(kTransparentBlack) : sampler_.field(kBorderBit, 2);
    Texel texel;
    if (color == kOpaqueWhite)
      texel.word[0] = texel.word[1] = texel.word[2] = one;
    if (color != kTransparentBlack || (address == kClampToZero && !format_.hasAlpha()))
      texel.word[3] = one;
    swizzle(texture_, texel.word);
    return texel;
  }

  // ---- cubes ----

  struct CubeCorners {
    Texel texel[4]; ///< (i,j), (i+1,j), (i,j+1), (i+1,j+1)
    float weight[2];
  };

  CubeCorners cubeCorners(const TextureLevel &level) const {
    const CubePlace p = cubePlace(request_.coordinate[0], request_.coordinate[1], request_.coordinate[2]);
    const Place s = linearPlace(p.s * float(level.width)), t = linearPlace(p.t * float(level.width));
    CubeCorners result{{}, {s.weight, t.weight}};
    int missing = -1;
    for (int n = 0; n < 4; ++n)
      if (!cubeTexel(level, p.face, s.index + (n & 1), t.index + (n >> 1), result.texel[n]))
        missing = n;
    if (missing >= 0)
      for (int i = 0; i < 4; ++i) {
        float sum = 0;
        int64_t integers = 0;
        for (int n = 0; n < 4; ++n)
          if (n != missing) {
            sum += result.texel[n].f(i);
            const uint32_t word = result.texel[n].word[i];
            integers += format_.kind == PixelKind::Sint ? int64_t(int32_t(word)) : int64_t(word);
          }
        result.texel[missing].word[i] =
            format_.isInteger() ? uint32_t(integers / 3) : std::bit_cast<uint32_t>(sum / 3);
      }
    return result;
  }

  Texel filteredCube(const TextureLevel &level) {
    if (!linear_) {
      const CubePlace p = cubePlace(request_.coordinate[0], request_.coordinate[1], request_.coordinate[2]);
      const auto index = [&](float c) {
        return uint64_t(std::clamp<int64_t>(toIndex(std::floor(c * float(level.width))), 0, level.width - 1));
      };
      return compared(load(level, index(p.s), index(p.t), 0, p.face));
    }
    blended_ = true;
    const CubeCorners c = cubeCorners(level);
    return mix(mix(compared(c.texel[0]), compared(c.texel[1]), c.weight[0]),
               mix(compared(c.texel[2]), compared(c.texel[3]), c.weight[0]), c.weight[1]);
  }

  // A texel of a face or, one step over its edge, of the face that lies there; false beyond a corner.
  bool cubeTexel(const TextureLevel &level, uint32_t face, int64_t i, int64_t j, Texel &texel) const {
    const int64_t n = level.width;
    const auto inside = [&](int64_t k) { return k >= 0 && k < n; };
    if (!inside(i) && !inside(j))
      return false;
    if (!inside(i) || !inside(j)) {
      const Direction d =
          cubeDirection(face, (2 * float(i) + 1) / float(n) - 1, (2 * float(j) + 1) / float(n) - 1);
      const CubePlace there = cubePlace(d.x, d.y, d.z);
      face = there.face;
      i = std::clamp<int64_t>(toIndex(std::floor(there.s * float(n))), 0, n - 1);
      j = std::clamp<int64_t>(toIndex(std::floor(there.t * float(n))), 0, n - 1);
    }
    texel = load(level, uint64_t(i), uint64_t(j), 0, face);
    return true;
  }

  // ---- comparisons ----

  Texel compared(const Texel &texel) const {
    if (request_.operation != kSampleCompare && request_.operation != kGatherCompare)
      return texel;
    float reference = request_.reference;
    if (format_.kind == PixelKind::Unorm)
      reference = std::clamp(reference, 0.0f, 1.0f);
    Texel result;
    result.word[0] = std::bit_cast<uint32_t>(passes(reference, texel.f(0)) ? 1.0f : 0.0f);
    return result;
  }

  bool passes(float reference, float value) const {
    switch (sampler_.field(kCompareBit, 3)) {
    case kLess: return reference < value;
    case kEqual: return reference == value;
    case kLessEqual: return reference <= value;
    case kGreater: return reference > value;
    case kNotEqual: return reference != value;
    case kGreaterEqual: return reference >= value;
    case kAlways: return true;
    default: return false;
    }
  }

  const TextureView &texture_;
  const TextureTypeInfo &type_;
  const PixelFormatInfo &format_;
  const Sampler sampler_;
  const SampleRequest &request_;
  const uint32_t layer_;
  bool linear_ = false;
  bool blended_ = false; ///< arithmetic was done: a NaN has no bits of its own
};

} // namespace

uint8_t *texelAddress(const TextureView &texture, const uint32_t *where) {
  const TextureTypeInfo &type = textureTypeInfo(texture.type);
  if (where[kLevel] >= texture.levelCount)
    return nullptr;
  const TextureLevel &level = texture.levels[where[kLevel]];
  const uint32_t deep = type.faces > 1 ? type.faces : level.depth;
  if (where[kX] >= level.width || where[kY] >= level.height || where[kZ] >= deep ||
      where[kLayer] >= texture.arrayLength || where[kSampleIndex] >= texture.sampleCount)
    return nullptr;
  const uint64_t face = type.faces > 1 ? where[kZ] : 0, z = type.faces > 1 ? 0 : where[kZ];
  return level.base + (uint64_t(where[kLayer]) * type.faces + face) * level.sliceBytes +
         z * level.imageBytes + where[kY] * level.rowBytes +
         (uint64_t(where[kX]) * texture.sampleCount + where[kSampleIndex]) * texture.format->bytes;
}

void loadTexel(const TextureView &texture, const uint8_t *texel, uint32_t (&words)[4]) {
  decodeTexel(*texture.format, texel, words);
  swizzle(texture, words);
}

TextureMistake sampleTexture(const TextureView &texture, uint64_t samplerBits, const SampleRequest &request,
                             uint32_t (&texel)[4]) {
  return Sampling(texture, samplerBits, request).run(texel);
}

} // namespace assay::runtime
