// A .metal source made of rows, and which row each of its lines belongs to.
#pragma once

#include "row.h"

namespace assay::language {

inline constexpr unsigned kSlotBytes = 128; ///< of a row's value in the output
inline constexpr unsigned kInts = 16;       ///< of a row's part of `buffer`, of `constants`, of `shared`

struct Program {
  std::string text;
  std::vector<const Row *> rows;
  std::vector<int> rowOfLine;     ///< line - 1 -> index in rows, or -1
  std::vector<unsigned> markLine; ///< for each row, the line of its [~wrong~right~]; 0: none
};

/// All rows in one source: with the wrong text of those that must be refused, or with the right one. The
/// kernel `rows` runs each one that has a value and writes it, component after component, into its slot of
/// `result`.
///   alone   nothing but what the one row gives stands before it
Program makeProgram(const std::vector<const Row *> &rows, bool wrong, bool alone);

} // namespace assay::language
