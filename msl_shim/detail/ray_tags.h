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
typedef extended_limits __extended_limits;
#else
struct __extended_limits {};
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

template <class... _Tags> struct _acceleration_structure;

} // namespace raytracing

namespace __assay {

template <class _Tag, class... _Tags> inline constexpr bool kHasTag = (__is_same(_Tag, _Tags) || ...);

// The number of max_levels, or 0. There may be several, of one number.
template <class _Tag> inline constexpr bool kIsLevels = false;
template <uint _N> inline constexpr bool kIsLevels<raytracing::__max_levels<_N>> = true;
template <class _Tag> inline constexpr uint kLevelsOf = 0;
template <uint _N> inline constexpr uint kLevelsOf<raytracing::__max_levels<_N>> = _N;
template <class... _Tags> inline constexpr bool kHasLevels = (kIsLevels<_Tags> || ...);
template <class... _Tags> constexpr METAL_FUNC uint mostLevels() {
  uint most = 0;
  ((most = kLevelsOf<_Tags> > most ? kLevelsOf<_Tags> : most), ...);
  return most;
}
template <class... _Tags> inline constexpr uint kLevels = mostLevels<_Tags...>();

template <uint _Most, class... _Tags>
inline constexpr bool kMostLevels =
    !kHasLevels<_Tags...> || (kLevels<_Tags...> >= 2 && kLevels<_Tags...> <= _Most &&
                              ((!kIsLevels<_Tags> || kLevelsOf<_Tags> == kLevels<_Tags...>) && ...));

// The tags of an acceleration structure, of a query, of a table of functions, and all.
template <class _Tag>
inline constexpr bool kTagOfStructure =
    kHasTag<_Tag, raytracing::instancing, raytracing::__primitive_motion, raytracing::__instance_motion>;
template <class _Tag>
inline constexpr bool kTagOfQuery =
    kIsLevels<_Tag> ||
    kHasTag<_Tag, raytracing::instancing, raytracing::triangle_data, raytracing::__curve_data>;
template <class _Tag>
inline constexpr bool kTagOfTable =
    kTagOfStructure<_Tag> || kTagOfQuery<_Tag> ||
    kHasTag<_Tag, raytracing::world_space_data, raytracing::__extended_limits>;
template <class _Tag>
inline constexpr bool kTag =
    kTagOfTable<_Tag> || kHasTag<_Tag, raytracing::__intersection_function_buffer, raytracing::__user_data>;

// Whether an intersector may have these tags together.
template <class... _Tags>
inline constexpr bool kTagsOfIntersector =
    (kTag<_Tags> && ...) &&
    (kHasTag<raytracing::instancing, _Tags...> ||
     !(kHasLevels<_Tags...> || kHasTag<raytracing::world_space_data, _Tags...> ||
       kHasTag<raytracing::__instance_motion, _Tags...>)) &&
    (kHasTag<raytracing::__intersection_function_buffer, _Tags...> ||
     !kHasTag<raytracing::__user_data, _Tags...>);

// The acceleration structure that an intersector of these tags intersects: it has their instancing and
// motion, in the same order.
template <class _Structure, class... _Tags> struct StructureOf {
  typedef _Structure type;
};
template <class... _Taken, class _Tag, class... _Tags>
struct StructureOf<raytracing::_acceleration_structure<_Taken...>, _Tag, _Tags...>
    : StructureOf<conditional_t<kTagOfStructure<_Tag>, raytracing::_acceleration_structure<_Taken..., _Tag>,
                                raytracing::_acceleration_structure<_Taken...>>,
                  _Tags...> {};

/// What selects the declaration of a function that its other forms call.
struct Unsupported {};

/// Whether a callback can be called with such arguments.
template <class _Void, class _C, class... _A> inline constexpr bool kTakesIf = false;
template <class _C, class... _A>
inline constexpr bool kTakesIf<typename Void<decltype(declval<_C>()(declval<_A>()...))>::type, _C, _A...> =
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
               __ASSAY_HAS(instancing) && !__assay::kHasLevels<_Tags...>)
#define __ASSAY_WITH_LEVELS                                                                                  \
  __ASSAY_WITH("only with the tags instancing and max_levels",                                               \
               __ASSAY_HAS(instancing) && __assay::kHasLevels<_Tags...>)
#define __ASSAY_WITH_TRIANGLES __ASSAY_WITH("only with the tag triangle_data", __ASSAY_HAS(triangle_data))
#define __ASSAY_WITH_CURVES __ASSAY_WITH("only with the tag curve_data", __ASSAY_HAS(__curve_data))
#define __ASSAY_WITH_FUNCTION_BUFFER                                                                         \
  __ASSAY_WITH("only with the tag intersection_function_buffer", __ASSAY_HAS(__intersection_function_buffer))
#define __ASSAY_WITH_WORLD_SPACE                                                                             \
  __ASSAY_WITH("only with the tag world_space_data", __ASSAY_HAS(world_space_data))
