// Arithmetic over named sizes, for extents, strides, parameters and generated values in a mapping file, so
// that one file serves every shape.
//
//   e ? x : y   ||   &&   == != < <= > >=   + -   * / %   - !   NUMBER  NAME  ( e )  F(e, ..)
//
// Every value is a double, and comparisons return 1 or 0. F is one of floor, ceil, round (ties to even), abs,
// min, max, sqrt, cdiv(a, b) = ceil(a / b), and rand(seed). rand is uniform in [-1, 1). It depends only on
// the seed and the element's index, so the values of a tensor depend neither on the order in which they are
// made nor on a library. There is no exp and no log, because their last bit would depend on the machine.
// Rejected: embedding a language, which would bring a runtime just for products and quotients.
#pragma once

#include "../../support/text/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli::diff {

class Expression {
public:
  /// names   that may be used as numbers, in the order of evaluate's values
  /// errors  Usage "expression", "unknown-size" (names the nearest); columns count from 1 in `text`
  static Result<Expression> parse(std::string_view text, const std::vector<std::string> &names);

  /// values   of `names`
  /// element  the index that rand takes
  double evaluate(const std::vector<double> &values, uint64_t element = 0) const;
  /// Whether neither the element's index nor a name from this position on has an influence.
  bool isConstant(size_t firstName) const;
  /// Positions in `names` of those that occur.
  const std::vector<size_t> &used() const { return used_; }

private:
  friend class ExpressionParser;
  enum class Op : uint8_t;
  struct Node {
    Op op;
    double number = 0;
    size_t name = 0;
    size_t child[3] = {0, 0, 0};
  };
  double value(size_t node, const std::vector<double> &values, uint64_t element) const;
  std::vector<Node> nodes_;
  std::vector<size_t> used_;
  size_t root_ = 0;
};

/// Whether a text can name a size or an axis: letters, digits and _, no digit first, none of the functions.
bool isExpressionName(std::string_view text);

} // namespace assay::cli::diff
