// See engine_text.h.
#include "engine_text.h"

#include <fmt/format.h>

namespace assay {

Result<Engine> parseEngine(std::string_view text) {
  if (text == "auto")
    return Engine::Auto;
  if (text == "fiber")
    return Engine::Fiber;
  if (text == "vector")
    return Engine::Vector;
  if (text == "both")
    return Engine::Both;
  return Error::usage("bad-option", fmt::format("'{}' is no engine", text), "auto, fiber, vector or both");
}

} // namespace assay
