// Edits of a text that are made one list after the other, as one list.
#pragma once

#include "frontend/source_view.h"

#include <string>
#include <string_view>
#include <vector>

namespace assay::frontend {

/// The text after the edits, which are sorted and disjoint.
std::string applied(std::string_view text, const std::vector<Edit> &edits);

/// Where an offset of the original is after the edits; inside a replacement: at its beginning.
uint32_t expandedOffset(const std::vector<Edit> &edits, uint32_t offset);

/// The edits of the original that do what `first` and then `second` do. Edits that touch the same bytes
/// become one.
///   first, second   each sorted and disjoint; second is of the text after first
///   middle          that text
std::vector<Edit> joinedEdits(const std::vector<Edit> &first, std::string_view middle,
                              const std::vector<Edit> &second);

} // namespace assay::frontend
