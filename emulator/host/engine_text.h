// Parses and prints the name of an engine.
#pragma once

#include "../support/abi/code_options.h"
#include "../support/text/result.h"

#include <string_view>

namespace assay {

inline constexpr const char *kEngineNames = "auto, fiber, vector, both or reference";

/// As the user would write it.
std::string_view engineText(Engine engine);
/// errors  Usage "bad-option"
Result<Engine> parseEngine(std::string_view text);

} // namespace assay
