// The overloads of sample, sample_compare, gather and gather_compare for <metal_texture>, each with its
// sparse form. Overloads, and no template for what may follow the coordinate: an option that a class of
// textures does not have, or options in another order, are refused at the user's line, and an offset
// converts.
// source: MSL specification, sections 6.12.1 to 6.12.15.
//
//   parameters  in parentheses, those up to the options
//   request     the request that they mean
//   method      of detail::Texture, takes a sampler and a request
//   offset, o   in parentheses, the parameter after the options and its name, each with a comma before it
#pragma once
#pragma clang system_header

#include "graphics_only.h"
#include "texture_access.h"

#define __ASSAY_LIST(...) __VA_ARGS__
// What later versions of Metal added to each function.
#if __ASSAY_LIBRARY_HAS(SPARSE_TEXTURES)
#define __ASSAY_SPARSE(...) __VA_ARGS__
#else
#define __ASSAY_SPARSE(...)
#endif
#if __ASSAY_LIBRARY_HAS(MIN_LOD_CLAMP)
#define __ASSAY_CLAMPED(...) __VA_ARGS__
#else
#define __ASSAY_CLAMPED(...)
#endif
namespace metal::__assay {
template <class _T> using Four = vec<_T, 4>;
typedef vec<int, 2> Ints2;
typedef vec<int, 3> Ints3;
} // namespace metal::__assay

#define __ASSAY_SAMPLE_WAY(Result, name, parameters, request, method, options, given)                        \
  METAL_FUNC Result name(__ASSAY_LIST parameters __ASSAY_LIST options) const {                               \
    return this->method(s, __assay::with(request __ASSAY_LIST given));                                       \
  }                                                                                                          \
  __ASSAY_SPARSE(                                                                                            \
      METAL_FUNC sparse_color<Result> sparse_##name(__ASSAY_LIST parameters __ASSAY_LIST options)            \
          const { return __assay::resident(this->method(s, __assay::with(request __ASSAY_LIST given))); })
#define __ASSAY_SAMPLE_WAYS(Result, name, parameters, request, method, Gradient, offset, o)                  \
  __ASSAY_SAMPLE_WAY(Result, name, parameters, request, method, offset, o)                                   \
  __ASSAY_SAMPLE_WAY(Result, name, parameters, request, method, (, bias b __ASSAY_LIST offset),              \
                     (, b __ASSAY_LIST o))                                                                   \
  __ASSAY_SAMPLE_WAY(Result, name, parameters, request, method, (, level l __ASSAY_LIST offset),             \
                     (, l __ASSAY_LIST o))                                                                   \
  __ASSAY_SAMPLE_WAY(Result, name, parameters, request, method, (, Gradient g __ASSAY_LIST offset),          \
                     (, g __ASSAY_LIST o))                                                                   \
  __ASSAY_CLAMPED(                                                                                           \
      __ASSAY_SAMPLE_WAY(Result, name, parameters, request, method, (, min_lod_clamp m __ASSAY_LIST offset), \
                         (, m __ASSAY_LIST o))                                                               \
          __ASSAY_SAMPLE_WAY(Result, name, parameters, request, method,                                      \
                             (, bias b, min_lod_clamp m __ASSAY_LIST offset), (, b, m __ASSAY_LIST o))       \
              __ASSAY_SAMPLE_WAY(Result, name, parameters, request, method,                                  \
                                 (, Gradient g, min_lod_clamp m __ASSAY_LIST offset),                        \
                                 (, g, m __ASSAY_LIST o)))

// A number in the place of an offset. Metal's vectors are the compiler's own, so a number becomes one by a
// standard conversion, which is better than those of bias and level by their constructors: t.sample(s, c, 1)
// has the offset int2(1). Here vectors are classes, and all three would be as good.
// source: metal_texture as published messages of compilers 31001.192 and 32023.155 quote it: (sampler s,
// float2 coord, int2 offset = int2(0)) beside (.., bias options, ..) and (.., level options, ..)
#define __ASSAY_SPLAT_WAY(Result, name, parameters, request, method, Offset)                                 \
  template <class _Number, class = enable_if_t<is_arithmetic_v<_Number>>>                                    \
  METAL_FUNC Result name(__ASSAY_LIST parameters, _Number offset) const {                                    \
    return this->method(s, __assay::with(request, Offset(static_cast<int>(offset))));                        \
  }                                                                                                          \
  __ASSAY_SPARSE(template <class _Number, class = enable_if_t<is_arithmetic_v<_Number>>>                     \
                 METAL_FUNC sparse_color<Result>                                                             \
                     sparse_##name(__ASSAY_LIST parameters, _Number offset) const {                          \
                       return __assay::resident(                                                             \
                           this->method(s, __assay::with(request, Offset(static_cast<int>(offset)))));       \
                     })
#define __ASSAY_OFFSET2 (, vec<int, 2> offset = vec<int, 2>(0))
#define __ASSAY_OFFSET3 (, vec<int, 3> offset = vec<int, 3>(0))
#define __ASSAY_SAMPLES_2D(Result, name, parameters, request, method)                                        \
  __ASSAY_SAMPLE_WAYS(Result, name, parameters, request, method, gradient2d, __ASSAY_OFFSET2, (, offset))    \
  __ASSAY_SPLAT_WAY(Result, name, parameters, request, method, __assay::Ints2)
#define __ASSAY_SAMPLES_3D(Result, name, parameters, request, method)                                        \
  __ASSAY_SAMPLE_WAYS(Result, name, parameters, request, method, gradient3d, __ASSAY_OFFSET3, (, offset))    \
  __ASSAY_SPLAT_WAY(Result, name, parameters, request, method, __assay::Ints3)
#define __ASSAY_SAMPLES_CUBE(Result, name, parameters, request, method)                                      \
  __ASSAY_SAMPLE_WAYS(Result, name, parameters, request, method, gradientcube, (), ())

// The component of a gather is a constant expression.
#define __ASSAY_GATHERS(parameters, request, offset, o)                                                      \
  METAL_FUNC __assay::Four<_T> gather(__ASSAY_LIST parameters __ASSAY_LIST offset,                           \
                                      component which = component::x) const METAL_CONST_ARG(which) {         \
    return this->gathered(s, __assay::with(request __ASSAY_LIST o), which);                                  \
  }                                                                                                          \
  __ASSAY_SPARSE(METAL_FUNC sparse_color<__assay::Four<_T>> sparse_gather(                                   \
      __ASSAY_LIST parameters __ASSAY_LIST offset,                                                           \
      component which = component::x) const METAL_CONST_ARG(which) {                                         \
    return __assay::resident(this->gathered(s, __assay::with(request __ASSAY_LIST o), which));               \
  })
#define __ASSAY_COLOUR_SAMPLES(SAMPLES, request, ...)                                                        \
  SAMPLES(__assay::Four<_T>, sample, (sampler s, __VA_ARGS__), request, filtered)
#define __ASSAY_COLOUR_2D(request, ...)                                                                      \
  __ASSAY_COLOUR_SAMPLES(__ASSAY_SAMPLES_2D, request, __VA_ARGS__)                                           \
  __ASSAY_GATHERS((sampler s, __VA_ARGS__), request, __ASSAY_OFFSET2, (, offset))
#define __ASSAY_COLOUR_3D(request, ...) __ASSAY_COLOUR_SAMPLES(__ASSAY_SAMPLES_3D, request, __VA_ARGS__)
#define __ASSAY_COLOUR_CUBE(request, ...)                                                                    \
  __ASSAY_COLOUR_SAMPLES(__ASSAY_SAMPLES_CUBE, request, __VA_ARGS__)                                         \
  __ASSAY_GATHERS((sampler s, __VA_ARGS__), request, (), ())
// Without options.
#define __ASSAY_COLOUR_1D(request, ...)                                                                      \
  __ASSAY_SAMPLE_WAY(__assay::Four<_T>, sample, (sampler s, __VA_ARGS__), request, filtered, (), ())

// Of depth textures, which have one component. The last arguments are the parameters that name the place.
#define __ASSAY_DEPTH_SAMPLES(SAMPLES, request, ...)                                                         \
  SAMPLES(_T, sample, (sampler s, __VA_ARGS__), request, filteredDepth)                                      \
  SAMPLES(_T, sample_compare, (sampler s, __VA_ARGS__, float reference),                                     \
          __assay::comparing(request, reference), compared)
#define __ASSAY_DEPTH_GATHERS(offset, o, request, ...)                                                       \
  __ASSAY_SAMPLE_WAY(__assay::Four<_T>, gather, (sampler s, __VA_ARGS__), request, gathered, offset, o)      \
  __ASSAY_SAMPLE_WAY(__assay::Four<_T>, gather_compare, (sampler s, __VA_ARGS__, float reference),           \
                     __assay::comparing(request, reference), gatherCompared, offset, o)
#define __ASSAY_DEPTH_2D(request, ...)                                                                       \
  __ASSAY_DEPTH_SAMPLES(__ASSAY_SAMPLES_2D, request, __VA_ARGS__)                                            \
  __ASSAY_DEPTH_GATHERS(__ASSAY_OFFSET2, (, offset), request, __VA_ARGS__)
#define __ASSAY_DEPTH_CUBE(request, ...)                                                                     \
  __ASSAY_DEPTH_SAMPLES(__ASSAY_SAMPLES_CUBE, request, __VA_ARGS__)                                          \
  __ASSAY_DEPTH_GATHERS((), (), request, __VA_ARGS__)

// Which level a sample of a fragment function would read.
#if __ASSAY_LIBRARY_HAS(CALCULATE_LOD)
#define __ASSAY_LOD_QUERY(name, Coordinate)                                                                  \
  __ASSAY_GRAPHICS float name(sampler s, Coordinate c) const                                                 \
      __attribute__((enable_if(_A == access::sample, "only of a texture with access::sample")));
#define __ASSAY_LOD_QUERIES(Coordinate)                                                                      \
  __ASSAY_LOD_QUERY(calculate_clamped_lod, Coordinate)                                                       \
  __ASSAY_LOD_QUERY(calculate_unclamped_lod, Coordinate)
#else
#define __ASSAY_LOD_QUERIES(Coordinate)
#endif
