// The reasons of refusals.def under the names that the shim gives to __assay_refuse.
#pragma once

namespace __assay_refusal {

enum Reason : unsigned {
#define ASSAY_REFUSAL(Name, number) k##Name = number,
#include "refusals.def"
#undef ASSAY_REFUSAL
};

} // namespace __assay_refusal
