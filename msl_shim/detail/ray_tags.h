// The intersection tags, and what depends on them. source: MSL specification, section 2.17.1, table 2.9.
//
// A function that is there only with some tags has an enable_if with the condition: another call of it is
// refused with the reason, and the class needs no base for each tag.
#pragma once
#pragma clang system_header

#include "traits.h"

namespace metal {
namespace raytracing {

struct triangle_data {};
struct instancing {};
struct world_space_data {};
// Of a version without a tag, its name is free for programs, and the library asks for a type of its own.
#if __ASSAY_LIBRARY_HAS(RAYTRACING_MOTION)
struct primitive_motion {};
struct instance_motion {};
typedef primitive_motion __primitive_motion;
typedef instance_motion __instance_motion;
#else
struct __primitive_motion {};
struct __instance_motion {};
#endif
#if __ASSAY_LIBRARY_HAS(RAYTRACING_EXTENDED_LIMITS)
struct extended_limits {};
#endif
#if __ASSAY_LIBRARY_HAS(RAYTRACING_CURVES)
struct curve_data {};
typedef curve_data __curve_data;
#else
struct __curve_data {};
#endif
#if __ASSAY_LIBRARY_HAS(RAYTRACING_MULTI_LEVEL_INSTANCING)
template <uint _N> struct max_levels {};
template <uint _N> using __max_levels = max_levels<_N>;
#else
template <uint _N> struct __max_levels {};
#endif
#if __ASSAY_LIBRARY_HAS(RAYTRACING_INTERSECTION_FUNCTION_BUFFER)
struct intersection_function_buffer {};
struct user_data {};
typedef intersection_function_buffer __intersection_function_buffer;
typedef user_data __user_data;
#else
struct __intersection_function_buffer {};
struct __user_data {};
#endif

template <class... _Tags> struct acceleration_structure;

} // namespace raytracing

namespace __assay {

template <class _Tag, class... _Tags> inline constexpr bool kHasTag = (__is_same(_Tag, _Tags) || ...);

// The number of max_levels, or 0.
template <class _Tag> inline constexpr uint kLevelsOf = 0;
template <uint _N> inline constexpr uint kLevelsOf<raytracing::__max_levels<_N>> = _N;
template <class... _Tags> inline constexpr uint kLevels = (0 + ... + kLevelsOf<_Tags>);

template <uint _Most, class... _Tags>
inline constexpr bool kMostLevels =
    kLevels<_Tags...> == 0 || (kLevels<_Tags...> >= 2 && kLevels<_Tags...> <= _Most);

// The acceleration structure that an intersector of these tags intersects: it has their instancing and
// motion, in the same order.
template <class _Tag>
inline constexpr bool kTagOfStructure =
    kHasTag<_Tag, raytracing::instancing, raytracing::__primitive_motion, raytracing::__instance_motion>;
template <class _Structure, class... _Tags> struct StructureOf {
  typedef _Structure type;
};
template <class... _Taken, class _Tag, class... _Tags>
struct StructureOf<raytracing::acceleration_structure<_Taken...>, _Tag, _Tags...>
    : StructureOf<conditional_t<kTagOfStructure<_Tag>, raytracing::acceleration_structure<_Taken..., _Tag>,
                                raytracing::acceleration_structure<_Taken...>>,
                  _Tags...> {};

/// What selects the declaration of a function that its other forms call.
struct Unsupported {};

/// Whether a callback can be called with such arguments.
template <class _Void, class _C, class... _A> inline constexpr bool kTakesIf = false;
template <class _C, class... _A>
inline constexpr bool kTakesIf<typename Void<decltype(declval<_C &>()(declval<_A>()...))>::type, _C, _A...> =
    true;
template <class _C, class... _A> inline constexpr bool kTakes = kTakesIf<void, _C, _A...>;

/// A base of a class whose members there are under a condition. Each base without members is its own class.
template <class _T> struct NoMembers {};
template <bool _Condition, class _T> using MembersIf = conditional_t<_Condition, _T, NoMembers<_T>>;

} // namespace __assay
} // namespace metal

#define __ASSAY_RAYS __attribute__((error("ray tracing is not supported")))
// After the parameters of a function of a class, or of a function, whose tags are _Tags.
#define __ASSAY_HAS(tag) __assay::kHasTag<tag, _Tags...>
#define __ASSAY_WITH(text, ...) __attribute__((enable_if(__VA_ARGS__, text)))
#define __ASSAY_WITH_INSTANCING __ASSAY_WITH("only with the tag instancing", __ASSAY_HAS(instancing))
#define __ASSAY_WITH_ONE_LEVEL                                                                               \
  __ASSAY_WITH("only with the tag instancing, and without max_levels",                                       \
               __ASSAY_HAS(instancing) && __assay::kLevels<_Tags...> == 0)
#define __ASSAY_WITH_LEVELS                                                                                  \
  __ASSAY_WITH("only with the tags instancing and max_levels",                                               \
               __ASSAY_HAS(instancing) && __assay::kLevels<_Tags...> != 0)
#define __ASSAY_WITH_TRIANGLES __ASSAY_WITH("only with the tag triangle_data", __ASSAY_HAS(triangle_data))
#define __ASSAY_WITH_CURVES __ASSAY_WITH("only with the tag curve_data", __ASSAY_HAS(__curve_data))
#define __ASSAY_WITH_WORLD_SPACE                                                                             \
  __ASSAY_WITH("only with the tags world_space_data and instancing",                                         \
               __ASSAY_HAS(world_space_data) && __ASSAY_HAS(instancing))
