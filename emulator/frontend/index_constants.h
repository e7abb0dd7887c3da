// The index of an argument as an expression of function constants: `[[buffer(first + 2)]]`.
//
// Problem.  The index is known once the pipeline's constants are. Lowering reads it from a variable at
//           program scope (ArgumentInfo::indexConstant), and an expression is none.
// Choice.   A variable of the compiler gets the expression as its initialiser, as if the program had written
//           `constant int index = first + 2;`.
// Limit.    An expression with a call is refused: the function may have no body in the module.
//           source: MSL specification 5.8.1.4 shows names alone; such a variable is its `indexB`.
#pragma once

#include <vector>

namespace clang {
class AnnotateAttr;
class ASTContext;
class VarDecl;
} // namespace clang

namespace assay::frontend {

/// The program-scope variable that an attribute names; null if it is something else.
const clang::VarDecl *programConstant(const clang::AnnotateAttr *attr);

/// A variable at program scope with the value of the attribute's first argument: one of `known`, or a new
/// one. Its name is the text of the argument, with a number if another variable has that name. It is
/// implicit: the caller has its code generated. Null unless the argument is an integer that is computed from
/// numbers and variables at program scope.
clang::VarDecl *computedConstant(clang::ASTContext &context, const clang::AnnotateAttr *attr,
                                 const std::vector<const clang::VarDecl *> &known);

} // namespace assay::frontend
