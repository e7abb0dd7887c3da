// What textbooks do with threadgroup memory: reductions in halves, and products by tiles.
#pragma once

#include "expressions.h"

namespace assay::engines {

/// Statements for where all threads of the threadgroup are, and none has ended.
class Textbook {
public:
  Textbook(Expressions &random, const Program &program) : x_(random), program_(program) {}

  /// Declares the variable `name`, of the program's sharedType, the same for all threads.
  Statement tree(const std::string &name, const Flow &flow);
  /// Declares the variable `name`, of the type that is given back. Uses the kernel's `rows_`.
  Statement tiles(const std::string &name, Type &type, const Flow &flow);

private:
  Expressions &x_;
  const Program &program_;
};

} // namespace assay::engines
