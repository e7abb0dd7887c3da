// Writes an attribute of Metal as the annotation that reflection and the rules read.
//
// Problem. An attribute with the wrong number of arguments is no Metal, nor is function_constant before an
//          initialiser. What would be written is C++ that Clang takes, or refuses in words of the shim.
// Choice.  Such an attribute gets an annotation of another name, which metal_rules.cpp reports.
// Limit.   Arguments are not counted if there is a `<` among them: it may begin a template's.
#pragma once

#include "frontend/attributes.h"
#include "frontend/tokens.h"

#include <optional>
#include <string>
#include <vector>

namespace assay::frontend {

struct WrittenAttribute {
  const AttributeInfo &info;
  bool hasList = false;             ///< of arguments
  std::string arguments = {};       ///< as one line
  std::optional<size_t> count = {}; ///< of them; none if it is not known
  bool ofArgument = false;          ///< or of a member: function_constant is a condition there
  bool beforeInitialiser = false;

  /// Whether function_constant is written on a variable as Metal wants it.
  bool isWhole() const { return count.value_or(1) == 1 && !beforeInitialiser; }
};

/// How many arguments tokens [first, last) are.
std::optional<size_t> countArguments(const std::vector<RawToken> &tokens, size_t first, size_t last);

std::string attributeText(const WrittenAttribute &attribute);

} // namespace assay::frontend
