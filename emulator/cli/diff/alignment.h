// Which statements of two sources correspond to each other.
//
// Problem.  A port has other names, a few other statements, some in another order. Lines do not correspond by
//           their numbers, nor statements by their text.
// Choice.   A statement is its tokens. Two of them are as alike as the tokens that they have in common, in
//           order, are many (the longest common subsequence, by weight); two names that differ count half at
//           first. The sequence of pairs with the greatest sum of likeness, in the order of both sources, is
//           the first alignment. From its pairs each name of A learns the name of B that stands in its place
//           most often, and a second alignment takes these as equal and all others as different. Statements
//           that are left over on both sides, equal in every token under the names and unique, are paired
//           last: independent statements may be in another order.
//           Pairs that the user gives by their lines come before all of this and divide nothing.
// Rejected. Pairs by line numbers (one new line shifts all others); an edit script of whole lines, as `diff`
//           makes it (a renamed variable leaves no line equal).
// Limit.    Of files with more than a million possible pairs between their first and their last difference
//           only statements are paired that are equal and unique on both sides (as patience diff does).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::cli::diff {

/// What the alignment looks at.
struct AlignedText {
  std::vector<std::string> tokens;
  uint8_t kind = 0; ///< of its value, 0: none; statements correspond only to those of the same kind
};

struct Alignment {
  std::vector<std::pair<size_t, size_t>> pairs;           ///< indices, ascending in the first
  std::vector<std::pair<std::string, std::string>> names; ///< that differ and stand for each other
};

/// given   pairs of indices that hold whatever the texts are
Alignment align(const std::vector<AlignedText> &a, const std::vector<AlignedText> &b,
                const std::vector<std::pair<size_t, size_t>> &given = {});

} // namespace assay::cli::diff
