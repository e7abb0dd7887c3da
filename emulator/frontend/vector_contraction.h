// a * b + c of vectors, contracted within one expression as Clang contracts it on scalars (-ffp-contract=on).
//
// Problem.  Metal's vectors are built in, and the compiler contracts their sums of products by the syntax of the
//           program's expression: `a * b + c` is fused, `t = a * b; t + c` is not, and `#pragma METAL fp contract`
//           turns either round. Here vectors are a class of the shim (msl_shim/detail/vec.h): each operator is a
//           call, and Clang contracts no two calls.
// Choice.   The syntax tree of every function that code is generated for, templates as they were instantiated, is
//           searched for a sum one of whose operands is itself a product: through parentheses, casts to the same
//           type, one minus sign, and the operand of a compound assignment to a swizzle. Both calls then get
//           another callee, from the end of vec.h: the product hands over its factors, and the sum writes
//           `p.a * p.b + c` on built-in vectors, which Clang contracts. The rule is Clang's own for scalars
//           (tryEmitFMulAdd): the left operand first, and only an operand that is the product itself. The mode of
//           each operator is what Clang stored with it, so the pragma holds for vectors as it does for scalars.
//           In the reach of contract(fast), operators get callees that carry its mark to
//           lowering/contract_statements.h; those of bfloat are contracted within their expression instead.
// Order.    The bodies must not have become code before. Declarations are therefore kept until the end of the
//           compilation and handed to the code generator then; they lose nothing by it, because code of functions
//           is generated when they are used, and most at the end anyway.
// Rejected. A product as a class of its own, which + and - see through: sizeof, decltype, auto and deduction see it,
//           too. Marks on the instructions of the inlined operators: which product belongs to which sum is lost
//           when two equal products become one, and a kernel for the debugger keeps its values in memory. Operators
//           that are expressions of built-in vectors: a class that converts to one takes part in too many of
//           Clang's built-in candidates, and its results would be of the wrong type.
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
    Used,      ///< of the shim's functions, those that the program reaches
    Everything ///< for a precompiled shim, of which nobody knows yet what will be used
  };
  explicit VectorContraction(Reach reach = Reach::Used) : reach_(reach) {}

  /// A declaration that code is to be generated for.
  void keep(clang::DeclGroupRef group) { kept_.push_back(group); }

  /// Changes the bodies of all that was kept, and of what that instantiates.
  void apply(clang::Sema &sema);

  /// What was kept, in its order.
  const std::vector<clang::DeclGroupRef> &kept() const { return kept_; }

private:
  Reach reach_;
  std::vector<clang::DeclGroupRef> kept_;
};

} // namespace assay::frontend
