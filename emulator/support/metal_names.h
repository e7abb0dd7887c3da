// The shim's classes under the names that Metal gives them, in messages and in the names of functions.
#pragma once

#include <string>

namespace assay {

/// `vec<float[4]>` → `float4`, `packed_vec<half[3], vec<half[3]>>` → `packed_half3`; of elements that have no such
/// names, as Metal writes them: `vec<T, N>`. Clang's names of scalars, and those of LLVM's demangler, are Metal's, too.
/// See msl_shim/detail/vec_names.h.
std::string vectorNames(std::string text);

} // namespace assay
