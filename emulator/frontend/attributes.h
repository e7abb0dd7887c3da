// The [[attributes]] of MSL as this project reads them: one table for the source view (which rewrites them),
// the reflection (which reads the annotations back) and the documentation.
#pragma once

#include <string_view>

namespace assay::frontend {

enum class AttributeUse : unsigned char {
  Annotation,       ///< annotate("assay.<name>", args...)
  FunctionConstant, ///< on a variable: its initialiser; on a parameter: the condition under which it exists
  Builtin,          ///< annotate("assay.builtin.<name>"), a row of support/builtins.def
};

struct AttributeInfo {
  std::string_view name;
  AttributeUse use;
};

/// Null for an attribute that is not Metal's (it is left to Clang).
const AttributeInfo *findAttribute(std::string_view name);

inline constexpr std::string_view kAnnotationPrefix = "assay.";
inline constexpr std::string_view kBuiltinPrefix = "assay.builtin.";

} // namespace assay::frontend
