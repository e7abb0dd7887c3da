// See engine_text.h.
#include "engine_text.h"

#include <fmt/format.h>

#include <utility>

namespace assay {

namespace {

constexpr std::pair<std::string_view, Engine> kEngines[] = {{"auto", Engine::Auto},
                                                            {"fiber", Engine::Fiber},
                                                            {"vector", Engine::Vector},
                                                            {"both", Engine::Both},
                                                            {"reference", Engine::Reference}};

} // namespace

std::string_view engineText(Engine engine) {
  for (const auto &[name, one] : kEngines)
    if (one == engine)
      return name;
  return "?";
}

Result<Engine> parseEngine(std::string_view text) {
  for (const auto &[name, engine] : kEngines)
    if (name == text)
      return engine;
  return Error::usage("bad-option", fmt::format("'{}' is not an engine", text), kEngineNames);
}

} // namespace assay
