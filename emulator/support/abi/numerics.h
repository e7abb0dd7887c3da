// The numerics profile: the part of a pipeline that says how floating point behaves. Its fields, their
// values, and how each is known are the tables of numerics.def.
//
// Rules that are the same in all profiles are not fields: rounding is to nearest even, and + - * /, fma and
// sqrt are correctly rounded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assay {

enum class Switch : bool {
#define ASSAY_NUMERICS_SWITCH(Name, text, meaning) Name,
#include "numerics.def"
};
enum class Contraction : uint8_t {
#define ASSAY_NUMERICS_CONTRACTION(Name, text, meaning) Name,
#include "numerics.def"
};
enum class NanBits : uint8_t {
#define ASSAY_NUMERICS_NAN(Name, text, meaning) Name,
#include "numerics.def"
};
enum class ReductionOrder : uint8_t {
#define ASSAY_NUMERICS_REDUCTION(Name, text, meaning) Name,
#include "numerics.def"
};
enum class ScanOrder : uint8_t {
#define ASSAY_NUMERICS_SCAN(Name, text, meaning) Name,
#include "numerics.def"
};
/// What a lane reads from one that does not take part: lowering/inactive_lanes.h.
enum class InactiveLanes : uint8_t {
#define ASSAY_NUMERICS_INACTIVE(Name, text, meaning) Name,
#include "numerics.def"
};
/// How simdgroup_multiply and _multiply_accumulate add up the eight products of one element.
enum class MatrixOrder : uint8_t {
#define ASSAY_NUMERICS_MATRIX(Name, text, meaning) Name,
#include "numerics.def"
};
enum class FastFunctions : uint8_t {
#define ASSAY_NUMERICS_FAST(Name, text, meaning) Name,
#include "numerics.def"
};

enum class NumericsStatus : uint8_t {
  Measured,  ///< on hardware, and published
  Specified, ///< by Apple, or by IEEE 754
  Assumed,   ///< nobody knows: the field has another value to try
};

namespace detail {
// Fields that are switches are plain bools: they are asked, not compared.
template <class T> struct NumericsMember {
  using Type = T;
};
template <> struct NumericsMember<Switch> {
  using Type = bool;
};
} // namespace detail

struct NumericsProfile {
  std::string_view name; ///< of the profile it began as
#define ASSAY_NUMERICS_FIELD(member, Type_, name, apple, appleStatus, appleSource, ieee, ieeeStatus,         \
                             ieeeSource, meaning)                                                            \
  detail::NumericsMember<Type_>::Type member;
#include "numerics.def"

  /// MXCSR flushes float and also bfloat, which is computed as float, so it is used only if the profile
  /// flushes both. A profile that flushes only one of them flushes it by explicit instructions; half is
  /// always flushed that way.
  constexpr bool flushesInHardware() const { return flushF32 && flushBf16; }
  constexpr bool flushesF32Explicitly() const { return flushF32 && !flushesInHardware(); }
  constexpr bool flushesBf16Explicitly() const { return flushBf16 && !flushesInHardware(); }
  constexpr bool flushesExplicitly() const {
    return flushesF32Explicitly() || flushesBf16Explicitly() || flushF16;
  }

  bool operator==(const NumericsProfile &) const = default;
};

inline constexpr NumericsProfile kAppleNumerics{
    "apple",
#define ASSAY_NUMERICS_FIELD(member, Type_, name, apple, appleStatus, appleSource, ieee, ieeeStatus,         \
                             ieeeSource, meaning)                                                            \
  static_cast<detail::NumericsMember<Type_>::Type>(Type_::apple),
#include "numerics.def"
};
inline constexpr NumericsProfile kIeeeNumerics{
    "ieee",
#define ASSAY_NUMERICS_FIELD(member, Type_, name, apple, appleStatus, appleSource, ieee, ieeeStatus,         \
                             ieeeSource, meaning)                                                            \
  static_cast<detail::NumericsMember<Type_>::Type>(Type_::ieee),
#include "numerics.def"
};
inline constexpr const NumericsProfile *kNumericsProfiles[] = {&kAppleNumerics, &kIeeeNumerics};

struct NumericsValue {
  std::string_view text, meaning;
};

/// What a profile says of one field, and how that is known.
struct NumericsFact {
  uint8_t value;
  NumericsStatus status;
  std::string_view source;
};

/// A field, for code that treats all of them alike: the parser, the printer, the cache's key.
struct NumericsField {
  std::string_view name, meaning;
  std::span<const NumericsValue> values; ///< a value is its number in here
  NumericsFact apple, ieee;
  uint8_t (*get)(const NumericsProfile &);
  void (*set)(NumericsProfile &, uint8_t value);

  const NumericsFact &factOf(std::string_view profile) const {
    return profile == kIeeeNumerics.name ? ieee : apple;
  }
};

std::span<const NumericsField> numericsFields();

/// "measured", "specified", "assumed"
std::string_view nameOf(NumericsStatus status);

/// The profile it began as, and every field that differs from it: "apple,simd_sum=pairwise". parseNumerics
/// (host/numerics_text.h) reads it back.
std::string numericsText(const NumericsProfile &profile);

} // namespace assay
