// Clang's attribute of vectors in a type's name: in casts, in sizeof and in the arguments of templates.
//
// Problem.  `(float __attribute__((ext_vector_type(4))))x` names Metal's float4, which is a class here
//           (msl_shim/detail/vec.h).
// Choice.   The tokens around the attribute tell the type that it changes, before it or after it. The type is
//           put between `metal::vec<` and `, (4)>`.
// Source.   What Clang 19 accepts. Of variables, members, parameters and results it says "'ext_vector_type'
//           attribute only applies to typedefs"; vector_typedefs.h reads the declarations of names.
// Limit.    The type is a scalar's name or one word, with its namespaces. The attribute stands alone in its
//           parentheses, and not in a directive: macros are expanded first (macro_expansions.h). Everything
//           else is an error that says where the attribute can be read.
#pragma once

#include "frontend/vector_typedefs.h"

namespace assay::frontend {

/// The edits for the attribute at `at`; see isVectorAttribute(). None if it cannot be read.
///   closers   for each opening bracket the token that closes it; kNone if there is none
std::vector<TokenEdit> vectorAttribute(const std::vector<RawToken> &tokens,
                                       const std::vector<size_t> &closers, size_t at);

} // namespace assay::frontend
