// Where differences lie, as one HTML file that needs nothing else: a heat map for each output, drawn as SVG.
//
// The columns of the map are the tensor's last axis, and the rows all other axes. In a large tensor several
// elements share a cell, which shows the worst of them. Only runs of cells that are not equal are drawn, so
// that the file grows with the differences and not with the tensor, and never beyond a few hundred kilobytes
// an output.
// Rejected: PNG, which needs a library or an encoder and carries neither legend nor numbers under the mouse;
// a canvas with a script, which cannot be read without running it.
#pragma once

#include "comparison.h"

#include <string>
#include <vector>

namespace assay::compare {

/// What a cell of the map shows, from best to worst.
enum class Heat : uint8_t { Equal, Close, UnwrittenOnBoth, Different, UnwrittenOnOne, NotANumber };

struct HeatCell {
  Heat heat = Heat::Equal;
  uint64_t ulps = 0; ///< the largest, of Different
  uint64_t different = 0;
};

/// A tensor's differences in at most `maxRows` x `maxColumns` cells.
struct HeatMap {
  explicit HeatMap(const std::vector<uint64_t> &shape, uint64_t maxRows = 96, uint64_t maxColumns = 128);
  /// `count` neighbouring pairs, as compare::Comparer shows them. What is not added is equal.
  void add(const Difference &pair, uint64_t count, Verdict verdict, ScalarType type);

  uint64_t rows = 0, columns = 0; ///< of cells
  uint64_t elementRows = 0, elementColumns = 0;
  uint64_t rowsInCell = 1, columnsInCell = 1; ///< elements
  std::vector<HeatCell> cells;                ///< rows first
};

struct PictureOutput {
  std::string name;
  std::vector<std::string> axes;
  HeatMap map;
  std::string summary;
};

std::string htmlPicture(const std::string &title, const std::vector<std::string> &facts,
                        const std::vector<PictureOutput> &outputs);

} // namespace assay::compare
