// The text of the annotation by which the front end tells lowering which variables are declared without a
// value.
#pragma once

#include "../text/diagnostic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Data within a variable; what is not in any part is padding.
struct UnwrittenPart {
  uint32_t offset = 0, bytes = 0;
  uint32_t stride = 0; ///< of an array that is one part: bytes of an element; else 0
  std::string name;    ///< "acc.y", "rows[3]"; of an array its own name
  bool operator==(const UnwrittenPart &) const = default;
};

struct UnwrittenVariable {
  std::string name;
  SourcePlace where; ///< of the name in the declaration
  std::vector<UnwrittenPart> parts;
};

/// The kind of metadata that holds the text, at memory of a thread.
inline constexpr std::string_view kUnwritten = "assay.unwritten";
/// The kind of metadata of a variable in threadgroup memory that is declared with a value.
inline constexpr std::string_view kDeclaredWithValue = "assay.declared-with-value";

std::string textOf(const UnwrittenVariable &variable);
/// nullopt for the text of another annotation.
std::optional<UnwrittenVariable> unwrittenVariableOf(std::string_view text);

} // namespace assay
