// The reasons of msl_shim/detail/refusals.def as an enumeration. Other numbers count simdgroups.
#pragma once

#include <cstdint>

namespace assay {

enum class Refusal : uint32_t {
#define ASSAY_REFUSAL(Name, number) Name = number,
#include "../../../msl_shim/detail/refusals.def"
#undef ASSAY_REFUSAL
};

} // namespace assay
