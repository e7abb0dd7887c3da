// Finds the places at which a Metal source may be cut in two, so that its beginning can be kept in parsed
// form.
//
// A cut is at the beginning of a line after a declaration at program scope, outside of every #if. Tokens
// alone decide, without preprocessing. A bracket in a macro or in a branch of an #if can make a cut wrong.
// Then Clang refuses the beginning of the source. There is no cut after a header of the user's, or after a
// pragma whose effect continues, because the rest of the text depends on them in a way that a parsed form
// does not keep; and none after an explicit instantiation of a function, whose code belongs to the program.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::frontend {

/// Offsets, ascending.
std::vector<uint32_t> declarationEnds(std::string_view text);

} // namespace assay::frontend
