// The project's data as JSON, for `--json` and other machine readers. It is written in one place, so that all
// commands spell the same data the same way.
#pragma once

#include "../support/abi/module_info.h"
#include "../support/text/diagnostic.h"
#include "../support/text/finding.h"
#include "../support/text/result.h"

#include <nlohmann/json.hpp>

namespace assay {

using Json = nlohmann::ordered_json;

Json toJson(const SourcePlace &place); ///< null if nothing is known
Json toJson(const Diagnostic &diagnostic);
Json toJson(const std::vector<Diagnostic> &diagnostics);
Json toJson(const Finding &finding); ///< its warning, the number of instances, the notes
Json toJson(const Error &error);     ///< kind, exit code, diagnostics
Json toJson(const ArgumentInfo &argument);
Json toJson(const StructInfo &info);
Json toJson(const FunctionConstantInfo &constant);

std::string_view nameOf(Access access);     ///< "read", "write", "read-write"
std::string_view nameOf(ArgumentKind kind); ///< "buffer", "threadgroup", "builtin"

} // namespace assay
