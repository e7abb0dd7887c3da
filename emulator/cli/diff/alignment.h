// Finds the statements of two sources that correspond to each other.
//
// Problem.  A port has other names, a few other statements, and some statements in another order. So neither
//           the numbers of lines nor the texts of statements correspond.
// Choice.   A statement is a sequence of tokens. The likeness of two statements is the weight of their
//           longest common subsequence; at first, two different names count half. The first alignment is the
//           sequence of pairs, in the order of both sources, with the greatest sum of likeness. From its
//           pairs, each name of A learns the name of B that most often stands in its place. A second
//           alignment takes these names as equal, and all others as different. Last, remaining statements are
//           paired if they are equal in every token under these names and unique on both sides, because
//           independent statements may be in another order. Pairs that the user gives by lines come before
//           all of this. They do not divide the sources.
// Rejected. Pairs by line numbers: one new line shifts all others. An edit script of whole lines, as `diff`
//           makes it: after a variable is renamed, no line is equal.
// Limit.    If there are more than a million possible pairs between the first and the last difference, only
//           statements that are equal and unique on both sides are paired, as patience diff does.
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
