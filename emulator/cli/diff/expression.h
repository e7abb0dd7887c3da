// Arithmetic over named sizes: what a mapping file says of extents, strides, parameters and generated values, so that
// one file serves every shape.
//
//   e ? x : y   ||   &&   == != < <= > >=   + -   * / %   - !   NUMBER  NAME  ( e )  F(e, ..)
//
// Everything is a double; comparisons give 1 and 0. F is one of floor, ceil, round (ties to even), abs, min, max, sqrt,
// cdiv(a, b) = ceil(a / b), and rand(seed): uniform in [-1, 1), a function of the seed and of the element's index, so
// that a tensor's values depend neither on the order in which they are made nor on a library. There is no exp and no
// log: their last bit would depend on the machine. Rejected: embedding a language, which would bring a runtime for what
// are products and quotients.
#pragma once

#include "../../support/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli::diff {

class Expression {
public:
  /// names   what may stand for a number, in the order of evaluate's values
  /// errors  Usage "expression", "unknown-size" (names the nearest); the diagnostic's column counts from 1 in `text`
  static Result<Expression> parse(std::string_view text, const std::vector<std::string> &names);

  /// values  of `names`;   element   the index that rand takes
  double evaluate(const std::vector<double> &values, uint64_t element = 0) const;
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
