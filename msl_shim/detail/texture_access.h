// What every class of textures shares: the handle, the conversion of texels, and the calls of the primitives.
#pragma once
#pragma clang system_header

#include "primitives.h"
#include "sampler.h"
#include "simd_operation.h"

namespace metal {

enum class access {
  sample = __assay_texture::kSampled,
  read = __assay_texture::kOnlyRead,
  write = __assay_texture::kOnlyWritten,
  read_write = __assay_texture::kReadAndWritten
};
enum class component { x, y, z, w };

// Who sees a texture's writes. Every engine here shows them to all threads, whichever of the two is named.
enum memory_coherence { memory_coherence_threadgroup, memory_coherence_device };

namespace __assay {

using __assay_texture::SampleRequest;

// A texel as four words: 32-bit types as they are; half through float; short and ushort are the low bits.
template <class _T> METAL_FUNC _T fromTexelWord(unsigned word) {
  if constexpr (__is_same(_T, half))
    return static_cast<half>(__builtin_bit_cast(float, word));
  else if constexpr (sizeof(_T) == 4)
    return __builtin_bit_cast(_T, word);
  else
    return static_cast<_T>(word);
}
template <class _T> METAL_FUNC unsigned toTexelWord(_T value) {
  if constexpr (__is_same(_T, half))
    return __builtin_bit_cast(unsigned, static_cast<float>(value));
  else if constexpr (sizeof(_T) == 4)
    return __builtin_bit_cast(unsigned, value);
  else
    return static_cast<unsigned>(static_cast<int>(value));
}

METAL_FUNC void load(float (&to)[3], float x) {
  to[0] = x;
}
METAL_FUNC void load(float (&to)[3], vec<float, 2> v) {
  to[0] = v.x, to[1] = v.y;
}
METAL_FUNC void load(float (&to)[3], vec<float, 3> v) {
  to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

template <class Coordinate> METAL_FUNC SampleRequest at(Coordinate c, unsigned layer = 0) {
  SampleRequest r = {};
  load(r.coordinate, c);
  r.layer = layer;
  r.minLod = -__builtin_inff();
  return r;
}

struct None {};

// What may follow the coordinate: an offset in texels and options of the level of detail, of these types.
template <class Offset, class Gradient> struct SampleOptions {
  static METAL_FUNC void set(SampleRequest &r, level lod) {
    r.lodKind = __assay_texture::kLevelLod;
    r.lod = lod.lod;
  }
  static METAL_FUNC void set(SampleRequest &r, bias lod) {
    r.lodKind = __assay_texture::kBiasLod;
    r.lod = lod.value;
  }
  static METAL_FUNC void set(SampleRequest &r, min_lod_clamp lod) { r.minLod = lod.lod; }
  static METAL_FUNC void set(SampleRequest &r, Gradient g) {
    r.lodKind = __assay_texture::kGradientLod;
    if constexpr (!__is_same(Gradient, None)) {
      load(r.dx, g.dPdx);
      load(r.dy, g.dPdy);
    }
  }
  static METAL_FUNC void set(SampleRequest &r, Offset offset) {
    if constexpr (vec_elements_v < Offset >> 1)
      for (int i = 0; i < vec_elements_v<Offset>; ++i)
        r.offset[i] = offset[i];
  }
  template <class... Options> static METAL_FUNC SampleRequest with(SampleRequest r, Options... options) {
    (set(r, options), ...);
    return r;
  }
};
typedef SampleOptions<vec<int, 2>, gradient2d> Options2d;
typedef SampleOptions<vec<int, 3>, gradient3d> Options3d;
typedef SampleOptions<None, gradientcube> OptionsCube;

template <class _T, access _A, unsigned _Class> struct Texture {
  static_assert(__is_same(_T, float) || __is_same(_T, half) || __is_same(_T, int) ||
                    __is_same(_T, unsigned) || __is_same(_T, short) || __is_same(_T, unsigned short),
                "the element type of a texture is float, half, int, uint, short or ushort");
  unsigned long handle_;
  typedef vec<_T, 4> Texel;

protected:
  static constexpr unsigned kAs = _Class << __assay_texture::kClassBit |
                                  kScalarType<_T> << __assay_texture::kElementBit |
                                  static_cast<unsigned>(_A) << __assay_texture::kAccessBit;

  METAL_FUNC Texel fetch(unsigned x, unsigned y, unsigned z, unsigned layer, unsigned level,
                         unsigned sample = 0) const {
    static_assert(_A != access::write, "read needs access::sample, access::read or access::read_write");
    const unsigned where[__assay_texture::kWhereWords] = {x, y, z, layer, level, sample, kAs};
    unsigned texel[4];
    __assay_texture_read(handle_, where, texel);
    return fromWords(texel);
  }
  METAL_FUNC void store(Texel value, unsigned x, unsigned y, unsigned z, unsigned layer,
                        unsigned level) const {
    static_assert(_A == access::write || _A == access::read_write,
                  "write needs access::write or access::read_write");
    const unsigned where[__assay_texture::kWhereWords] = {x, y, z, layer, level, 0, kAs};
    const unsigned texel[4] = {toTexelWord<_T>(value.x), toTexelWord<_T>(value.y), toTexelWord<_T>(value.z),
                               toTexelWord<_T>(value.w)};
    __assay_texture_write(handle_, where, texel);
  }
  METAL_FUNC Texel atomically(__assay_texture::AtomicOperation operation, unsigned x, unsigned y, unsigned z,
                              unsigned layer, _T operand, _T expected = 0) const {
    static_assert(__is_same(_T, int) || __is_same(_T, unsigned),
                  "atomic operations on a texture need elements of type int or uint");
    static_assert(_A == access::read_write, "atomic operations on a texture need access::read_write");
    const __assay_texture::AtomicRequest request = {{x, y, z, layer, 0, 0, kAs},
                                                    operation,
                                                    __is_same(_T, int),
                                                    __builtin_bit_cast(unsigned, operand),
                                                    __builtin_bit_cast(unsigned, expected)};
    unsigned texel[4];
    __assay_texture_atomic(handle_, &request, texel);
    return fromWords(texel);
  }
  METAL_FUNC Texel filtered(sampler s, SampleRequest r) const {
    static_assert(_A == access::sample, "sample and gather need access::sample");
    r.declared = kAs;
    unsigned texel[4];
    __assay_texture_sample(handle_, s.bits_, &r, texel);
    return fromWords(texel);
  }
  METAL_FUNC Texel gathered(sampler s, SampleRequest r, component c) const {
    r.operation = __assay_texture::kGather;
    r.component = static_cast<unsigned>(c);
    return filtered(s, r);
  }
  METAL_FUNC _T compared(sampler s, SampleRequest r, float reference) const {
    r.operation = __assay_texture::kSampleCompare;
    r.reference = reference;
    return filtered(s, r).x;
  }
  METAL_FUNC Texel gatherCompared(sampler s, SampleRequest r, float reference) const {
    r.operation = __assay_texture::kGatherCompare;
    r.reference = reference;
    return filtered(s, r);
  }
  METAL_FUNC unsigned query(__assay_texture::Query what, unsigned level = 0) const {
    return __assay_texture_query(handle_, what, level);
  }

private:
  static METAL_FUNC Texel fromWords(const unsigned (&w)[4]) {
    return Texel(fromTexelWord<_T>(w[0]), fromTexelWord<_T>(w[1]), fromTexelWord<_T>(w[2]),
                 fromTexelWord<_T>(w[3]));
  }
};

} // namespace __assay

template <class _T, access _A, unsigned _Class>
METAL_FUNC bool is_null_texture(const __assay::Texture<_T, _A, _Class> &texture) {
  return __assay_texture_query(texture.handle_, __assay_texture::kIsNull, 0) != 0;
}

} // namespace metal
