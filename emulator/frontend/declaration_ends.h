// Where a Metal source may be cut in two, so that its beginning can be kept in parsed form.
//
// A cut is the beginning of a line after a declaration at program scope, outside of every #if. It is decided
// by tokens, without preprocessing: a bracket in a macro or in a branch of an #if can make a cut wrong, and
// then Clang refuses the beginning. No cut is made after what the rest of the text depends on in a way that a
// parsed form does not keep: a header of the user's, or a pragma that reaches on.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::frontend {

/// Offsets, ascending.
std::vector<uint32_t> declarationEnds(std::string_view text);

} // namespace assay::frontend
