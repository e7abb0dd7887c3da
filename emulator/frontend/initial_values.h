// What the initialisers of threadgroup memory come to. Those of variables outside of functions are computed
// in lowering (function_constants.h), also where they call functions that are not constexpr: Apple's
// matrices and library need that (gfx-rs/naga, issue 703), and programs do it, as
// `constant half4 orange = makeRGB(..)` in Codelaby/LearnMetalShader.
#pragma once

#include <clang/AST/APValue.h>

namespace assay::frontend {

/// Whether all bits of the value are zero, where it has any.
bool isZero(const clang::APValue &value);

} // namespace assay::frontend
