// Random matrices and structures, and variables that functions take by reference.
#pragma once

#include "expressions.h"

namespace assay::engines {

class Aggregates {
public:
  explicit Aggregates(Expressions &random) : x_(random) {}

  /// A matrix of random columns, multiplied or taken apart. Declares the variable `name`, of the type that is
  /// given back.
  ///   local   a name for the matrix
  Statement matrix(const std::string &name, const std::string &local, Type &type, const Flow &flow);
  /// Structures in memory of the thread: an array of two, of which members, bytes and whole ones are written
  /// and read. Declares the variable `name`, of the type that is given back.
  Statement structures(const std::string &name, const std::string &local, Type &type, const Flow &flow);
  /// Exchanges a variable with another value, or turns its array, in a function. Legal in the kernel.
  ///   slot   for the other value
  Statement byReference(const Variable &variable, const Flow &flow, uint32_t slot);

private:
  Expressions &x_;
};

} // namespace assay::engines
