// Metal's names for the shim's classes, in messages and in the names of functions.
#pragma once

#include <string>

namespace assay {

/// `vec<float[4]>` → `float4`, `packed_vec<half[3], vec<half[3]>>` → `packed_half3`. Vectors whose
/// elements have no such names are written as Metal writes them: `vec<T, N>`. Clang's names of scalars, and
/// those of LLVM's demangler, are also Metal's.
/// See msl_shim/detail/vec_names.h.
std::string vectorNames(std::string text);

} // namespace assay
