// An engine as the user writes it: "auto", "fiber", "vector", "both".
#pragma once

#include "../support/abi/code_options.h"
#include "../support/text/result.h"

#include <string_view>

namespace assay {

/// errors  Usage "bad-option"
Result<Engine> parseEngine(std::string_view text);

} // namespace assay
