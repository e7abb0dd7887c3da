// Makes the vectors that a program names with Clang's attribute Metal's own:
// `typedef float f8 __attribute__((ext_vector_type(8)));` becomes `typedef metal::vec<float, (8)> f8;`.
//
// Problem.  In Apple's compiler float4 is such a vector of Clang. Here Metal's vectors are a class (msl_shim/
//           detail/vec.h), and Clang's own have neither constructors of several arguments nor comparisons
//           that give bools.
// Choice.   The tokens of the declaration tell its specifiers and its declarators. The type in the specifiers
//           is put between `metal::vec<` and `, (8)>`, and the attribute is taken away; everything else stays
//           where it is, so that other rules see it and other attributes keep their meaning. An attribute
//           among the specifiers is for all declarators. One after a declarator is for that one: a new
//           declaration begins where the lengths differ. In `using f8 = float` it may stand on both sides.
// Others.   vector_attributes.h reads the attribute in casts and in other names of types. At any other place
//           the view puts an unknown name between its brackets, so that Clang refuses it, and diagnostics.cpp
//           words the error. A macro that expands to the attribute is expanded after that error
//           (macro_expansions.h).
// Source.   What Clang 19 accepts. It ignores [[clang::ext_vector_type(4)]], with a warning, and has no
//           vectors of pointers or arrays.
// Limit.    `float typedef f4`, and a name in parentheses after a type of several words. `aligned` with less
//           than the vector's alignment is not believed by the class.
// Rejected. A look at the syntax tree: the program does not compile before the names are Metal's vectors.
#pragma once

#include "frontend/tokens.h"

#include <cstddef>
#include <string>
#include <vector>

namespace assay::frontend {

/// What the view puts between the brackets of an attribute that it does not read.
inline constexpr const char *kUnreadVector = "__assay_unread_vector";

/// Whether a vector's attribute begins here: `ext_vector_type(`.
bool isVectorAttribute(const std::vector<RawToken> &tokens, size_t at);

/// A word that stands before or after a type: const, volatile, or an address space.
bool isTypeQualifier(const RawToken &token);

/// Text before, after or instead of the tokens from `first` to `last`, both included.
struct TokenEdit {
  enum class Place : uint8_t { Before, After, Instead };
  size_t first = 0, last = 0;
  std::string text;
  Place place = Place::Instead;
};

/// The edits for the declaration of which `keyword` is the word typedef or using. None if it has no vector's
/// attribute, or one that cannot be read.
///   closers   for each opening bracket the token that closes it; kNone if there is none
///   begin     the first token that can belong to the declaration
std::vector<TokenEdit> vectorTypedef(const std::vector<RawToken> &tokens, const std::vector<size_t> &closers,
                                     size_t keyword, size_t begin);

} // namespace assay::frontend
