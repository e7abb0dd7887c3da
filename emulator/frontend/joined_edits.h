// Joins two lists of edits, which are made to a text one after the other, to one list.
#pragma once

#include "frontend/source_view.h"

#include <string>
#include <string_view>
#include <vector>

namespace assay::frontend {

/// The text after the edits, which are sorted and disjoint.
std::string applied(std::string_view text, const std::vector<Edit> &edits);

/// The offset after the edits of an offset in the original. An offset inside replaced text becomes the
/// beginning of the replacement.
uint32_t expandedOffset(const std::vector<Edit> &edits, uint32_t offset);

/// The edits of the original that do what `first` and then `second` do. Edits that touch the same bytes
/// become one.
///   first, second   each sorted and disjoint; second is of the text after first
///   middle          that text
std::vector<Edit> joinedEdits(const std::vector<Edit> &first, std::string_view middle,
                              const std::vector<Edit> &second);

} // namespace assay::frontend
