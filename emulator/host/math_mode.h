// MTLMathMode: which functions the unqualified names of <metal_math> mean.
#pragma once

#include "../support/text/result.h"

#include <string_view>

namespace assay {

/// Fast functions follow the formulas of MSL's table 8.2, safe functions are correctly rounded. Relaxed is
/// the same as fast, because nothing is ever reassociated here. `#pragma METAL fp math_mode` in a source
/// overrides it. The pipeline's NumericsProfile decides what `+` and `a*b+c` do.
enum class MathMode { Fast, Relaxed, Safe };

/// "fast", "relaxed", "safe"
std::string_view nameOf(MathMode mode);

/// The inverse of nameOf.
///   option  what stood before the text, for the message: "--math-mode "
///   errors  Usage "bad-option"
Result<MathMode> parseMathMode(std::string_view text, std::string_view option);

} // namespace assay
