// Operands that must reach an operator by value, found by Clang and mended in the source view.
//
// Problem.  `cond ? device_pointer[i] : half2(a, b)`: MSL's vectors are built in, here they are classes, and
//           Clang unifies two operands of one class only if one's address space includes the other's.
//           `bfloat(h)` of a half: MSL converts, Clang does not. `h + b` of a half and a bfloat: MSL computes in
//           float, the smallest type that holds both; to Clang the operands are invalid.
// Choice.   Clang's own error carries the ranges of the operands. They are wrapped in a helper that returns
//           its argument by value, or as the float that holds every half and every bfloat, and the file is
//           parsed again; only files that need it pay.
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
  /// file, [begin, end) in the original, helper of the shim's prelude
  using Fix = std::tuple<std::string, uint32_t, uint32_t, std::string>;
  std::set<Fix> found_, applied_;
};

} // namespace assay::frontend
