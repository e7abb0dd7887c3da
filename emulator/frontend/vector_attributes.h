// Clang's attribute of vectors outside of typedef and using: in declarations of variables, members,
// parameters and results, in casts and in the arguments of templates.
//
// Problem.  `float __attribute__((ext_vector_type(4))) v;` and `(float __attribute__((ext_vector_type(4))))x`
//           name Metal's float4, which is a class here (msl_shim/detail/vec.h).
// Choice.   The tokens around the attribute tell the type that it changes. A type before it, or after it
//           where a declaration begins, is put between `metal::vec<` and `, (4)>`. After a declarator's name
//           the type before that name is, if the declaration has no other name.
// Source.   What Clang 19 accepts, as in vector_typedefs.h, which reads the declarations of names.
// Limit.    The type is a scalar's name or one word, with its namespaces. The attribute stands alone in its
//           parentheses, and not in a directive: macros are expanded first (macro_expansions.h). Everything
//           else is an error that says where the attribute can be read.
// Rejected. A guess at what a declaration of several names means: its other names would become vectors.
#pragma once

#include "frontend/vector_typedefs.h"

namespace assay::frontend {

/// The edits for the attribute at `at`; see isVectorAttribute(). None if it cannot be read.
///   closers   for each opening bracket the token that closes it; kNone if there is none
std::vector<TokenEdit> vectorAttribute(const std::vector<RawToken> &tokens,
                                       const std::vector<size_t> &closers, size_t at);

} // namespace assay::frontend
