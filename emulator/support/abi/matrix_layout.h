// The distribution of a simdgroup matrix over lanes (msl_shim/detail/simdgroup_matrix_layout.def): the place
// of a lane's first element. Its second element is in the next column.
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
