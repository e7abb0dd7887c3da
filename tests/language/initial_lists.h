// Random lists in braces as initial values, of vectors, structures and arrays in each other.
//
// Problem.  Metal's vectors are built into Apple's compiler, and classes here. A class that is made of a list
//           chooses a constructor, and a wrong one gives wrong elements without an error: `{{{7}}, {8}}` was
//           once 7 0 8 as an int3.
// Choice.   Values come first, and are then spelled in one of the ways that Clang has for vectors that are
//           built in: with any number of braces around an element, none around a part of a structure or an
//           array, less elements if the rest is zero, one number for a whole vector. So the value of each
//           program is known. source: Clang 19, whose verdicts and values for `ext_vector_type` agreed in
//           2,460 random lists (docs/coverage.md, 2026-11-30).
#pragma once

#include "row.h"

namespace assay::language {

/// The program of a seed, as a row of the section "generated" that computes a uint.
Row initialLists(uint64_t seed);

} // namespace assay::language
