// Contracts a * b + c of vectors within one expression, as Clang does for scalars (-ffp-contract=on).
//
// Problem.  Metal's vectors are built in, and the compiler contracts their sums of products by the syntax of
//           the program's expression: `a * b + c` is fused, `t = a * b; t + c` is not, and a pragma
//           (`#pragma METAL fp contract`) can change both. Here vectors are a class of the shim
//           (msl_shim/detail/vec.h): each operator is a call, and Clang does not contract two calls.
// Choice.   The syntax tree of every function that code is generated for, with templates as instantiated, is
//           searched for a sum with an operand that is itself a product: through parentheses, casts to the
//           same type, one minus sign, and the operand of a compound assignment to a swizzle. Both calls then
//           get another callee, from the end of vec.h: the product hands over its factors, and the sum writes
//           `p.a * p.b + c` on built-in vectors, which Clang contracts. The rule is Clang's own for scalars
//           (tryEmitFMulAdd): the left operand first, and only an operand that is the product itself. The
//           mode of each operator is the one that Clang stored with it, so the pragma works for vectors as
//           for scalars. Under contract(fast), operators get callees that carry a mark for
//           lowering/contract_statements.h; operators of bfloat vectors are contracted within their
//           expression instead.
// Order.    Bodies must change before code is generated from them. So declarations are kept until the end of
//           the compilation and given to the code generator then. Nothing is lost by it: code of functions is
//           generated when they are used, and most of it at the end anyway.
// Rejected. A product as a class of its own, which + and - accept: sizeof, decltype, auto and deduction see
//           it, too. Marks on the instructions of the inlined operators: when two equal products become one,
//           the sum that each belongs to is lost, and a kernel for the debugger keeps its values in memory.
//           Operators that are expressions of built-in vectors: a class that converts to one takes part in
//           too many of Clang's built-in candidates, and its results would have the wrong type.
//
// The C++ that `assay translate` writes is compiled by a stock Clang, which does not contract vectors.
#pragma once

#include <clang/AST/DeclGroup.h>

#include <functional>
#include <vector>

namespace clang {
class Sema;
}

namespace assay::frontend {

class VectorContraction {
public:
  enum class Reach {
    Used,      ///< only functions of the shim that the program reaches
    Everything ///< for a precompiled shim, since its uses are not known yet
  };
  explicit VectorContraction(Reach reach = Reach::Used) : reach_(reach) {}

  /// A declaration that code will be generated for.
  void keep(clang::DeclGroupRef group) { kept_.push_back(group); }

  /// Changes the bodies of all kept declarations, and of what they instantiate.
  void apply(clang::Sema &sema);

  /// The same for a beginning, which leaves instantiations to the rest of the program.
  ///   instantiate   instantiates those that can be made now
  void apply(clang::Sema &sema, const std::function<void()> &instantiate);

  /// The kept declarations, in order.
  const std::vector<clang::DeclGroupRef> &kept() const { return kept_; }

private:
  Reach reach_;
  std::vector<clang::DeclGroupRef> kept_;
};

} // namespace assay::frontend
