// Operands of `?:` that must be taken by value, found by Clang and mended in the source view.
//
// Problem.  `cond ? device_pointer[i] : half2(a, b)`: MSL's vectors are built in, here they are classes, and
// Clang
//           unifies two operands of one class only if one's address space includes the other's.
// Choice.   Clang's own error carries the ranges of both operands. They are wrapped in a helper that returns
// its
//           argument by value, and the file is parsed again; only files that need it pay.
// Rejected. Finding the operands on tokens (a conditional's condition has no beginning there); wrapping every
//           conditional (lvalue conditionals are legal).
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>
#include <string>
#include <tuple>

namespace assay::frontend {

class ByValueFixes {
public:
  /// Notes the operands if this is the error in question.
  void consider(const clang::Diagnostic &info, const ViewFileSystem &files);

  /// Applies what was noted since the last call. False if there was nothing new.
  bool apply(ViewFileSystem &files);

private:
  using Range = std::tuple<std::string, uint32_t, uint32_t>; ///< file, [begin, end) in the original
  std::set<Range> found_, applied_;
};

} // namespace assay::frontend
