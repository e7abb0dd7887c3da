// The [[attributes]] of MSL: the table by which the source view rewrites them as annotations. Reflection and
// the rules read the annotations.
#pragma once

#include <span>
#include <string_view>

namespace assay::frontend {

enum class AttributeUse : unsigned char {
  Annotation,       ///< annotate("assay.<name>", args...)
  Slot,             ///< the same, with one argument, which may be a function constant
  Graphics,         ///< annotate("assay.<name>"), without arguments; for graphics and ray tracing
  FunctionConstant, ///< on a variable: its initialiser; on a parameter: the condition under which it exists
  Builtin,          ///< annotate("assay.builtin.<name>"), a row of support/abi/builtins.h
  Hint,             ///< nothing is written: it is allowed before statements, and changes no result
};

struct AttributeInfo {
  std::string_view name;
  AttributeUse use;
};

std::span<const AttributeInfo> attributes();

/// Null for an attribute that is not Metal's (it is left to Clang).
const AttributeInfo *findAttribute(std::string_view name);

/// The attribute of Metal that this name is a misspelling of, or whose first words it has; null if there is
/// none.
const AttributeInfo *misspeltAttribute(std::string_view name);

inline constexpr std::string_view kAnnotationPrefix = "assay.";
inline constexpr std::string_view kBuiltinPrefix = "assay.builtin.";
/// Followed by the misspelt word, a space, and the attribute's name.
inline constexpr std::string_view kMisspeltPrefix = "assay.misspelt ";
/// Followed by the name of an attribute that is in a place where it is not allowed.
inline constexpr std::string_view kMisplacedPrefix = "assay.misplaced ";
/// Followed by the name of an attribute that has arguments and takes none.
inline constexpr std::string_view kArgumentsPrefix = "assay.arguments ";
/// Followed by the name of an attribute that takes one argument and has none or more; "condition" is
/// function_constant on an argument or a member.
inline constexpr std::string_view kCountPrefix = "assay.count ";
/// Followed by the name of an attribute that gives a variable its value, and that stands before another.
inline constexpr std::string_view kInitialisedPrefix = "assay.initialised ";

/// The end of the name under which the view declares a variable a first time, for its type.
inline constexpr std::string_view kTypeSuffix = "__assay_type";

} // namespace assay::frontend
