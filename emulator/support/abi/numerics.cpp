// The tables of numerics.def as values. See numerics.h.
#include "support/abi/numerics.h"

namespace assay {
namespace {

template <class T> struct ValuesOf;
#define ASSAY_VALUE(Name, text, meaning) NumericsValue{text, meaning},
#define ASSAY_NUMERICS_SWITCH ASSAY_VALUE
template <> struct ValuesOf<Switch> {
  static constexpr NumericsValue kAll[] = {
#include "support/abi/numerics.def"
  };
};
#define ASSAY_NUMERICS_CONTRACTION ASSAY_VALUE
template <> struct ValuesOf<Contraction> {
  static constexpr NumericsValue kAll[] = {
#include "support/abi/numerics.def"
  };
};
#define ASSAY_NUMERICS_NAN ASSAY_VALUE
template <> struct ValuesOf<NanBits> {
  static constexpr NumericsValue kAll[] = {
#include "support/abi/numerics.def"
  };
};
#define ASSAY_NUMERICS_REDUCTION ASSAY_VALUE
template <> struct ValuesOf<ReductionOrder> {
  static constexpr NumericsValue kAll[] = {
#include "support/abi/numerics.def"
  };
};
#define ASSAY_NUMERICS_SCAN ASSAY_VALUE
template <> struct ValuesOf<ScanOrder> {
  static constexpr NumericsValue kAll[] = {
#include "support/abi/numerics.def"
  };
};
#define ASSAY_NUMERICS_INACTIVE ASSAY_VALUE
template <> struct ValuesOf<InactiveLanes> {
  static constexpr NumericsValue kAll[] = {
#include "support/abi/numerics.def"
  };
};
#define ASSAY_NUMERICS_MATRIX ASSAY_VALUE
template <> struct ValuesOf<MatrixOrder> {
  static constexpr NumericsValue kAll[] = {
#include "support/abi/numerics.def"
  };
};
#define ASSAY_NUMERICS_FAST ASSAY_VALUE
template <> struct ValuesOf<FastFunctions> {
  static constexpr NumericsValue kAll[] = {
#include "support/abi/numerics.def"
  };
};

constexpr NumericsField kFields[] = {
#define ASSAY_NUMERICS_FIELD(member_, Type_, name_, apple_, appleStatus, appleSource, ieee_, ieeeStatus,     \
                             ieeeSource, meaning_)                                                           \
  {name_,                                                                                                    \
   meaning_,                                                                                                 \
   ValuesOf<Type_>::kAll,                                                                                    \
   {static_cast<uint8_t>(Type_::apple_), NumericsStatus::appleStatus, appleSource},                          \
   {static_cast<uint8_t>(Type_::ieee_), NumericsStatus::ieeeStatus, ieeeSource},                             \
   [](const NumericsProfile &profile) { return static_cast<uint8_t>(profile.member_); },                     \
   [](NumericsProfile &profile, uint8_t value) {                                                             \
     profile.member_ = static_cast<decltype(profile.member_)>(value);                                        \
   }},
#include "support/abi/numerics.def"
};

} // namespace

std::span<const NumericsField> numericsFields() {
  return kFields;
}

std::string_view nameOf(NumericsStatus status) {
  switch (status) {
  case NumericsStatus::Measured: return "measured";
  case NumericsStatus::Specified: return "specified";
  case NumericsStatus::Assumed: return "assumed";
  }
  return "";
}

std::string numericsText(const NumericsProfile &profile) {
  std::string text(profile.name);
  for (const NumericsField &field : kFields)
    if (const uint8_t value = field.get(profile); value != field.factOf(profile.name).value)
      text.append(",").append(field.name).append("=").append(field.values[value].text);
  return text;
}

} // namespace assay
