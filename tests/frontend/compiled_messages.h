// What the front end says of a text, with the beginning of most programs before it.
#pragma once

#include "frontend/compile.h"

namespace assay::frontend {

/// The errors, with the lines of the source; empty: it compiles. The text's first line is line 3 of k.metal.
inline std::string messagesOf(const std::string &text, LanguageVersion language = LanguageVersion::Any) {
  SourceRequest request;
  request.language = language;
  request.path = "k.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + text;
  const Result<CompiledModule> module = compile(request);
  return module ? "" : renderDiagnostics(module.error().diagnostics);
}

/// The same in Metal 4.1, which has pointers without an address space.
inline std::string messages41(const std::string &text) {
  return messagesOf(text, LanguageVersion::Metal4_1);
}

} // namespace assay::frontend
