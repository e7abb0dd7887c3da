// Texts that are linked, each with the beginning of most programs before it.
#pragma once

#include "frontend/compile.h"

namespace assay::frontend {

/// The texts are called 0.metal, 1.metal and so on; their first line is line 3.
inline Result<CompiledModule> linked(const std::vector<std::string> &texts) {
  std::vector<SourceRequest> sources;
  for (size_t i = 0; i < texts.size(); ++i) {
    SourceRequest source;
    source.path = std::to_string(i) + ".metal";
    source.text = "#include <metal_stdlib>\nusing namespace metal;\n" + texts[i];
    sources.push_back(std::move(source));
  }
  return compileSources(sources);
}

/// The errors without the lines of the sources; empty: they are linked.
inline std::string refusal(const std::vector<std::string> &texts) {
  const auto module = linked(texts);
  return module ? "" : renderDiagnostics(module.error().diagnostics);
}

} // namespace assay::frontend
