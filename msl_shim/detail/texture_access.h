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

// What a texel's component may be.
template <class _T>
inline constexpr bool is_color_texture_channel_v =
#if __ASSAY_LIBRARY_HAS(TEXTURE_ULONG_COLOR_CHANNEL)
    __is_same(__remove_cv(_T), ulong) ||
#endif
    __is_same(__remove_cv(_T), float) || __is_same(__remove_cv(_T), half) ||
    __is_same(__remove_cv(_T), int) || __is_same(__remove_cv(_T), uint) ||
    __is_same(__remove_cv(_T), short) || __is_same(__remove_cv(_T), ushort);

// Who sees a texture's writes. Every engine here shows them to all threads, whichever of the two is named.
#if __ASSAY_LIBRARY_HAS(MEMORY_COHERENCE)
enum memory_coherence {
  memory_coherence_threadgroup,
  memory_coherence_device,
  __memory_coherence_threadgroup = memory_coherence_threadgroup,
  __memory_coherence_device = memory_coherence_device
};
typedef memory_coherence __memory_coherence;
#else
enum __memory_coherence { __memory_coherence_threadgroup, __memory_coherence_device };
#endif

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
METAL_FUNC SampleRequest comparing(SampleRequest r, float reference) {
  r.reference = reference;
  return r;
}

// What may follow the coordinate: options of the level of detail, and an offset in texels.
METAL_FUNC void set(SampleRequest &r, level lod) {
  r.lodKind = __assay_texture::kLevelLod;
  r.lod = lod.lod;
}
METAL_FUNC void set(SampleRequest &r, bias lod) {
  r.lodKind = __assay_texture::kBiasLod;
  r.lod = lod.value;
}
#if __ASSAY_LIBRARY_HAS(MIN_LOD_CLAMP)
METAL_FUNC void set(SampleRequest &r, min_lod_clamp lod) {
  r.minLod = lod.value;
}
#endif
template <class Gradient>
METAL_FUNC auto set(SampleRequest &r, Gradient g) -> decltype(static_cast<void>(g.dPdx)) {
  r.lodKind = __assay_texture::kGradientLod;
  load(r.dx, g.dPdx);
  load(r.dy, g.dPdy);
}
METAL_FUNC void set(SampleRequest &r, vec<int, 2> offset) {
  r.offset[0] = offset.x, r.offset[1] = offset.y;
}
METAL_FUNC void set(SampleRequest &r, vec<int, 3> offset) {
  r.offset[0] = offset.x, r.offset[1] = offset.y, r.offset[2] = offset.z;
}
template <class... Options> METAL_FUNC SampleRequest with(SampleRequest r, Options... options) {
  (set(r, options), ...);
  return r;
}

// What a class of textures is, by its number.
#define ASSAY_TEXTURE_TYPE(name, number, coordinates, arrayed, faces, multisampled)                          \
  inline constexpr bool kMultisampled_##name = multisampled;
#include "texture_types.def"
template <unsigned _Class> inline constexpr bool kIsDepth = false;
template <unsigned _Class> inline constexpr bool kIsMultisampled = false;
#define ASSAY_TEXTURE_CLASS(metal, type, depth)                                                              \
  template <> inline constexpr bool kIsDepth<__assay_texture::kClass_##metal> = depth;                       \
  template <> inline constexpr bool kIsMultisampled<__assay_texture::kClass_##metal> = kMultisampled_##type;
#include "texture_types.def"

// Whether a class of textures has elements of ulong.
template <unsigned _Class> inline constexpr bool kHasWide = true;
#if !__ASSAY_LIBRARY_HAS(TEXTURE_CUBE_ULONG_COLOR_CHANNEL)
template <> inline constexpr bool kHasWide<__assay_texture::kClass_texturecube> = false;
#endif
#if !__ASSAY_LIBRARY_HAS(TEXTURE_CUBE_ARRAY_ULONG_COLOR_CHANNEL)
template <> inline constexpr bool kHasWide<__assay_texture::kClass_texturecube_array> = false;
#endif

template <class _T, access _A, unsigned _Class, __memory_coherence _C> struct Texture;
// Whether a type is the texture of these parameters.
template <class _T, access _A, unsigned _Class, __memory_coherence _C>
bool_constant<true> isTextureOf(const Texture<_T, _A, _Class, _C> *);
template <class _T, access _A, unsigned _Class, __memory_coherence _C>
bool_constant<false> isTextureOf(const void *);
template <class _U, class _T, access _A, unsigned _Class, __memory_coherence _C>
using IfTexture = enable_if_t<__is_class(_U) &&
                              decltype(isTextureOf<_T, _A, _Class, _C>(static_cast<_U *>(nullptr)))::value>;

template <class _T, access _A, unsigned _Class, __memory_coherence _C>
struct __ASSAY_OBJECTS_OF_HANDLES Texture {
  // A ulong is the two components of an RG32Uint texel. A read gives 0, 0 and 1 as the other components, as
  // of any texel with one component (a choice of ours).
  // source: Metal Feature Set Tables (2025-10-20), "apply the RG32Uint format to a ulong texture"; a public
  // study of visibility buffers on Metal, which measured that "the red channel holds the low 32 bits and
  // green the high 32 bits"; Apple's header (kagurasumusun/metal, 32023.883) for what such a texture has
  static constexpr bool kWide = __is_same(_T, unsigned long);
  static_assert(is_color_texture_channel_v<_T>,
                "the element type of a texture is float, half, int, uint, short, ushort or, from Metal 3.1 "
                "on, ulong");
  static_assert(!kWide || kHasWide<_Class>, "a cube has elements of ulong from Metal 4.0 on");
  static_assert(!kIsDepth<_Class> || __is_same(_T, float), "the element type of a depth texture is float");
  static_assert(!kIsDepth<_Class> || _A == access::sample || _A == access::read,
                "a depth texture has access::sample or access::read");
  static_assert(!kIsMultisampled<_Class> || _A == access::read || (kIsDepth<_Class> && _A == access::sample),
                "a multisampled texture has access::read");
  static_assert(_Class != __assay_texture::kClass_texture_buffer || _A != access::sample,
                "a texture buffer has access::read, access::write or access::read_write");
  METAL_FUNC bool __assay_is_null() const { return query(__assay_texture::kIsNull) != 0; }

  // A coherent texture is explicitly converted to one that is not, which converts to it by itself.
  template <class _U, class = IfTexture<_U, _T, _A, _Class, __memory_coherence_device>,
            class = enable_if_t<sizeof(_U) && _C == __memory_coherence_threadgroup>>
  METAL_FUNC operator _U() const {
    return __builtin_bit_cast(_U, handle_);
  }
  template <class _U, class = IfTexture<_U, _T, _A, _Class, __memory_coherence_threadgroup>,
            enable_if_t<sizeof(_U) && _C == __memory_coherence_device, int> = 0>
  METAL_FUNC explicit operator _U() const {
    return __builtin_bit_cast(_U, handle_);
  }

protected:
  typedef vec<_T, 4> Texel;
  static constexpr unsigned kAs = _Class << __assay_texture::kClassBit |
                                  kHostType<_T> << __assay_texture::kElementBit |
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
    if constexpr (kWide) {
      const unsigned texel[4] = {unsigned(value.x), unsigned(value.x >> 32), 0, 0};
      __assay_texture_write(handle_, where, texel);
    } else {
      const unsigned texel[4] = {toTexelWord<_T>(value.x), toTexelWord<_T>(value.y), toTexelWord<_T>(value.z),
                                 toTexelWord<_T>(value.w)};
      __assay_texture_write(handle_, where, texel);
    }
  }
  template <bool _Permitted = _A == access::read_write>
  METAL_FUNC Texel atomically(__assay_texture::AtomicOperation operation, unsigned x, unsigned y, unsigned z,
                              unsigned layer, _T operand, _T expected = 0) const {
    static_assert(__is_same(_T, int) || __is_same(_T, unsigned),
                  "atomic operations on a texture need elements of type int or uint");
    static_assert(_Permitted,
                  "atomic operations on a texture need access::read_write, except atomic_load of one "
                  "that is read and atomic_store to one that is written");
    const __assay_texture::AtomicRequest request = {{x, y, z, layer, 0, 0, kAs},
                                                    operation,
                                                    __is_same(_T, int),
                                                    __builtin_bit_cast(unsigned, operand),
                                                    __builtin_bit_cast(unsigned, expected)};
    unsigned texel[4];
    __assay_texture_atomic(handle_, &request, texel);
    return fromWords(texel);
  }
  METAL_FUNC void modify(__assay_texture::AtomicOperation operation, unsigned x, unsigned y, unsigned z,
                         unsigned layer, unsigned long operand) const {
    static_assert(_A == access::read_write, "atomic_min and atomic_max need access::read_write");
    const __assay_texture::AtomicRequest request = {
        {x, y, z, layer, 0, 0, kAs}, operation, 0, unsigned(operand), unsigned(operand >> 32)};
    unsigned texel[4];
    __assay_texture_atomic(handle_, &request, texel);
  }
  METAL_FUNC Texel filtered(sampler s, SampleRequest r) const {
    static_assert(_A == access::sample, "sample and gather need access::sample");
    static_assert(!kWide, "a texture of ulong has no sample or gather");
    r.declared = kAs;
    unsigned texel[4];
    __assay_texture_sample(handle_, s.__assay_bits(), &r, texel);
    return fromWords(texel);
  }
  METAL_FUNC Texel gathered(sampler s, SampleRequest r, component c = component::x) const {
    r.operation = __assay_texture::kGather;
    r.component = static_cast<unsigned>(c);
    return filtered(s, r);
  }
  METAL_FUNC _T filteredDepth(sampler s, SampleRequest r) const { return filtered(s, r).x; }
  METAL_FUNC _T compared(sampler s, SampleRequest r) const {
    r.operation = __assay_texture::kSampleCompare;
    return filtered(s, r).x;
  }
  METAL_FUNC Texel gatherCompared(sampler s, SampleRequest r) const {
    r.operation = __assay_texture::kGatherCompare;
    return filtered(s, r);
  }
  METAL_FUNC unsigned query(__assay_texture::Query what, unsigned level = 0) const {
    return __assay_texture_query(handle_, what, level);
  }

private:
  unsigned long handle_;
  static METAL_FUNC Texel fromWords(const unsigned (&w)[4]) {
    if constexpr (kWide)
      return Texel(w[0] | static_cast<unsigned long>(w[1]) << 32, 0, 0, 1);
    else
      return Texel(fromTexelWord<_T>(w[0]), fromTexelWord<_T>(w[1]), fromTexelWord<_T>(w[2]),
                   fromTexelWord<_T>(w[3]));
  }
};

} // namespace __assay

template <class _T, access _A, unsigned _Class, __memory_coherence _C>
METAL_FUNC bool is_null_texture(const __assay::Texture<_T, _A, _Class, _C> &texture) {
  return texture.__assay_is_null();
}

} // namespace metal
