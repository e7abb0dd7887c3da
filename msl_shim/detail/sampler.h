// sampler, its options, and the options of a level of detail. source: MSL specification, section 2.10, 6.12.
#pragma once
#pragma clang system_header

#include "texture_request.h"
#include "traits.h"
#include "vec.h"

namespace metal {

#define __ASSAY_OPTION(metal, host, number) metal = number,
enum class coord {
#define ASSAY_COORD __ASSAY_OPTION
#include "sampler_options.def"
};
#define __ASSAY_ADDRESS_ENUM(name) enum class name
__ASSAY_ADDRESS_ENUM(address){
#define ASSAY_ADDRESS __ASSAY_OPTION
#include "sampler_options.def"
};
__ASSAY_ADDRESS_ENUM(s_address){
#define ASSAY_ADDRESS __ASSAY_OPTION
#include "sampler_options.def"
};
__ASSAY_ADDRESS_ENUM(t_address){
#define ASSAY_ADDRESS __ASSAY_OPTION
#include "sampler_options.def"
};
__ASSAY_ADDRESS_ENUM(r_address){
#define ASSAY_ADDRESS __ASSAY_OPTION
#include "sampler_options.def"
};
#undef __ASSAY_ADDRESS_ENUM
// A shader's alone: MTLSamplerMinMagFilter has no such value. Which texels it weighs, and how, nobody has
// published, so a sample with it is a fault of the run. __HAVE_BICUBIC_FILTERING__, by which programs ask for
// it, is not defined.
#define __ASSAY_BICUBIC bicubic = 2
enum class filter {
#define ASSAY_FILTER __ASSAY_OPTION
#include "sampler_options.def"
  __ASSAY_BICUBIC
};
enum class min_filter {
#define ASSAY_FILTER __ASSAY_OPTION
#include "sampler_options.def"
  __ASSAY_BICUBIC
};
enum class mag_filter {
#define ASSAY_FILTER __ASSAY_OPTION
#include "sampler_options.def"
  __ASSAY_BICUBIC
};
enum class mip_filter {
#define ASSAY_MIP_FILTER __ASSAY_OPTION
#include "sampler_options.def"
};
enum class compare_func {
#define ASSAY_COMPARE_FUNC __ASSAY_OPTION
#include "sampler_options.def"
};
#if __ASSAY_LIBRARY_HAS(BORDER_COLOR)
enum class border_color {
#define ASSAY_BORDER_COLOR __ASSAY_OPTION
#include "sampler_options.def"
};
#endif
// How the texels of a sample become one value. Which texels count whose weight is 0 nobody has published, so
// a sample with one of the other two is a fault of the run, unless it takes a single texel.
#if __ASSAY_LIBRARY_HAS(SAMPLER_REDUCTION)
enum class reduction { weighted_average, minimum, maximum };
#endif
#undef __ASSAY_BICUBIC
#undef __ASSAY_OPTION

#if __ASSAY_LIBRARY_HAS(ANISOTROPY_LOD_MIN_MAX)
struct sampler;
class max_anisotropy {
  int value_;
  friend struct sampler;

public:
  explicit constexpr METAL_FUNC max_anisotropy(int v) : value_(v) {}
};
class lod_clamp {
  float low_, high_;
  friend struct sampler;

public:
  explicit constexpr METAL_FUNC lod_clamp(float min, float max) : low_(min), high_(max) {}
};
#endif

struct bias {
  float value;
  constexpr METAL_FUNC bias(float v) : value(v) {}
};

namespace __assay {
template <class _T> inline constexpr bool kSamplerOption = false;
#define __ASSAY_SAMPLER_OPTION(name) template <> inline constexpr bool kSamplerOption<name> = true;
__ASSAY_SAMPLER_OPTION(coord)
__ASSAY_SAMPLER_OPTION(address)
__ASSAY_SAMPLER_OPTION(s_address)
__ASSAY_SAMPLER_OPTION(t_address)
__ASSAY_SAMPLER_OPTION(r_address)
__ASSAY_SAMPLER_OPTION(filter)
__ASSAY_SAMPLER_OPTION(mag_filter)
__ASSAY_SAMPLER_OPTION(min_filter)
__ASSAY_SAMPLER_OPTION(mip_filter)
__ASSAY_SAMPLER_OPTION(compare_func)
#if __ASSAY_LIBRARY_HAS(ANISOTROPY_LOD_MIN_MAX)
__ASSAY_SAMPLER_OPTION(max_anisotropy)
__ASSAY_SAMPLER_OPTION(lod_clamp)
#endif
#if __ASSAY_LIBRARY_HAS(BORDER_COLOR)
__ASSAY_SAMPLER_OPTION(border_color)
#endif
#if __ASSAY_LIBRARY_HAS(SAMPLER_REDUCTION)
__ASSAY_SAMPLER_OPTION(reduction)
#endif
#if __ASSAY_LIBRARY_HAS(SAMPLER_LOD_BIAS)
__ASSAY_SAMPLER_OPTION(bias)
#endif
#undef __ASSAY_SAMPLER_OPTION
} // namespace __assay

struct __ASSAY_OBJECTS_OF_HANDLES sampler {
  constexpr METAL_FUNC sampler() : bits_(Word(__assay_texture::kDefaultSampler) | kInline) {}
  /// Of two options that set one field the first one counts: filter::linear, mag_filter::nearest is linear.
  /// source: Apple's headers (32023.883), where the state of the later options is built first.
  template <class _First, class... _Rest,
            class = enable_if_t<__assay::kSamplerOption<_First> && (__assay::kSamplerOption<_Rest> && ...)>>
  constexpr METAL_FUNC sampler(_First first, _Rest... rest) : sampler(rest...) {
    set(first);
  }
  constexpr METAL_FUNC unsigned long __assay_bits() const { return bits_; }

private:
  typedef unsigned long Word;
  Word bits_;
  static constexpr Word kInline = Word(1) << __assay_texture::kInlineBit;

  constexpr METAL_FUNC void put(unsigned first, unsigned width, Word value) {
    const Word mask = ((Word(1) << width) - 1) << first;
    bits_ = (bits_ & ~mask) | (value << first & mask);
  }
  constexpr METAL_FUNC void set(coord v) { put(__assay_texture::kCoordBit, 1, Word(v)); }
  constexpr METAL_FUNC void set(address v) {
    put(__assay_texture::kSAddressBit, 3, Word(v));
    put(__assay_texture::kTAddressBit, 3, Word(v));
    put(__assay_texture::kRAddressBit, 3, Word(v));
  }
  constexpr METAL_FUNC void set(s_address v) { put(__assay_texture::kSAddressBit, 3, Word(v)); }
  constexpr METAL_FUNC void set(t_address v) { put(__assay_texture::kTAddressBit, 3, Word(v)); }
  constexpr METAL_FUNC void set(r_address v) { put(__assay_texture::kRAddressBit, 3, Word(v)); }
  constexpr METAL_FUNC void set(filter v) {
    set(mag_filter(v));
    set(min_filter(v));
  }
  constexpr METAL_FUNC void set(mag_filter v) {
    put(__assay_texture::kMagFilterBit, 1, Word(v));
    put(__assay_texture::kMagBicubicBit, 1, Word(v) >> 1);
  }
  constexpr METAL_FUNC void set(min_filter v) {
    put(__assay_texture::kMinFilterBit, 1, Word(v));
    put(__assay_texture::kMinBicubicBit, 1, Word(v) >> 1);
  }
  constexpr METAL_FUNC void set(mip_filter v) { put(__assay_texture::kMipFilterBit, 2, Word(v)); }
  constexpr METAL_FUNC void set(compare_func v) { put(__assay_texture::kCompareBit, 3, Word(v)); }
#if __ASSAY_LIBRARY_HAS(SAMPLER_REDUCTION)
  constexpr METAL_FUNC void set(reduction v) { put(__assay_texture::kReductionBit, 2, Word(v)); }
#endif
  // Metal 4. A sample with a bias is a fault of the run.
  constexpr METAL_FUNC void set(bias v) { put(__assay_texture::kBiasBit, 1, Word(v.value != 0)); }
#if __ASSAY_LIBRARY_HAS(BORDER_COLOR)
  constexpr METAL_FUNC void set(border_color v) { put(__assay_texture::kBorderBit, 2, Word(v)); }
#endif
#if __ASSAY_LIBRARY_HAS(ANISOTROPY_LOD_MIN_MAX)
  constexpr METAL_FUNC void set(max_anisotropy v) { put(__assay_texture::kAnisotropyBit, 5, Word(v.value_)); }
  constexpr METAL_FUNC void set(lod_clamp v) {
    put(__assay_texture::kLodMinBit, 16, halfBits(v.low_));
    put(__assay_texture::kLodMaxBit, 16, halfBits(v.high_));
  }
#endif
  static constexpr METAL_FUNC Word halfBits(float v) {
    return v > 65504.0f ? Word(__assay_texture::kHalfInfinity)
                        : Word(__builtin_bit_cast(unsigned short, static_cast<half>(v)));
  }
};

struct level {
  float lod;
  constexpr METAL_FUNC level(float v) : lod(v) {}
};
#if __ASSAY_LIBRARY_HAS(MIN_LOD_CLAMP)
struct min_lod_clamp {
  float value;
  constexpr METAL_FUNC min_lod_clamp(float v) : value(v) {}
};
#endif
struct gradient2d {
  vec<float, 2> dPdx, dPdy;
  METAL_FUNC gradient2d(vec<float, 2> x, vec<float, 2> y) : dPdx(x), dPdy(y) {}
};
struct gradient3d {
  vec<float, 3> dPdx, dPdy;
  METAL_FUNC gradient3d(vec<float, 3> x, vec<float, 3> y) : dPdx(x), dPdy(y) {}
};
struct gradientcube {
  vec<float, 3> dPdx, dPdy;
  METAL_FUNC gradientcube(vec<float, 3> x, vec<float, 3> y) : dPdx(x), dPdy(y) {}
};

} // namespace metal
