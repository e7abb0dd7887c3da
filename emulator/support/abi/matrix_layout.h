// Where the elements of a simdgroup matrix live (msl_shim/detail/simdgroup_matrix_layout.def): the place of a
// lane's first element. Its second is one column further on.
#pragma once

#include <cstdint>

namespace assay {

#define ASSAY_MATRIX_LAYOUT(name, formula)                                                                   \
  constexpr uint32_t lane##name(uint32_t lane) {                                                             \
    return formula;                                                                                          \
  }
#include "../../../msl_shim/detail/simdgroup_matrix_layout.def"
#undef ASSAY_MATRIX_LAYOUT

} // namespace assay
