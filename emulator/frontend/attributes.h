// The [[attributes]] of MSL as this project reads them: one table for the source view (which rewrites them),
// the reflection (which reads the annotations back) and the documentation.
#pragma once

#include <string_view>

namespace assay::frontend {

enum class AttributeUse : unsigned char {
  Annotation,       ///< annotate("assay.<name>", args...)
  Graphics,         ///< annotate("assay.<name>"): of graphics and ray tracing; arguments may be no expressions
  FunctionConstant, ///< on a variable: its initialiser; on a parameter: the condition under which it exists
  Builtin,          ///< annotate("assay.builtin.<name>"), a row of support/builtins.def
};

struct AttributeInfo {
  std::string_view name;
  AttributeUse use;
};

/// Null for an attribute that is not Metal's (it is left to Clang).
const AttributeInfo *findAttribute(std::string_view name);

/// The attribute of Metal's that this name must be a slip of the pen for; null if there is none.
const AttributeInfo *misspeltAttribute(std::string_view name);

inline constexpr std::string_view kAnnotationPrefix = "assay.";
inline constexpr std::string_view kBuiltinPrefix = "assay.builtin.";
/// Then the word that was written, a space, and the attribute's name.
inline constexpr std::string_view kMisspeltPrefix = "assay.misspelt ";
/// Then the name of an attribute that stands after a function's parameters, and cannot.
inline constexpr std::string_view kMisplacedPrefix = "assay.misplaced ";

} // namespace assay::frontend
