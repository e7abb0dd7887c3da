// Finds out by tokens what a declaration with an address space declares: objects in that space, or pointers
// to it. One declaration can declare both: `threadgroup float a[4], *p = a;`.
//
// Problem.  In Metal the space belongs to `a`, and to what `p` points to; `p` itself is a variable of the
//           thread. Here an object in threadgroup or constant memory is declared static, and one declaration
//           cannot be static for some of its names.
// Choice.   The view starts a new declaration where the kind of declarator changes.
// Limit.    A declaration whose initialisers contain template arguments stays whole: tokens alone do not tell
//           the commas of template arguments from others.
#pragma once

#include "frontend/tokens.h"

#include <cstddef>
#include <vector>

namespace assay::frontend {

/// Whether the first declarator after the word at `space` has no pointer and no reference at the top level.
///   closers   for each opening bracket the token that closes it; size_t(-1) if there is none
bool declaresObject(const std::vector<RawToken> &tokens, const std::vector<size_t> &closers, size_t space);

struct DeclaratorCut {
  size_t comma = 0;      ///< the token before the declarator
  bool isObject = false; ///< what comes after it: an object, or a pointer or reference
};

struct MixedDeclaration {
  size_t specifiersEnd = 0; ///< the token after the type
  std::vector<DeclaratorCut> cuts;
};

/// Cuts the declaration that has its address space at token `space`.
///   returns   no cuts if its declarators are of one kind
MixedDeclaration mixedDeclaration(const std::vector<RawToken> &tokens, const std::vector<size_t> &closers,
                                  size_t space);

/// Whether the word before an array's bounds is the type, since the array has no name: `device float[4]`.
/// The type may also stand before the address space: `float device x[4]`.
bool isType(const std::vector<RawToken> &tokens, size_t word, size_t space);

/// Whether the parentheses around the token at `space` hold a function's parameters, and the token is in no
/// list of template arguments. In a list of parameters an array type is a pointer; elsewhere, as in
/// `sizeof(device float[4])`, it is an array.
bool inParameterList(const std::vector<RawToken> &tokens, size_t space);

} // namespace assay::frontend
