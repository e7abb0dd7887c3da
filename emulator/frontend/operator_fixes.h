// Operators that a program declares as templates, beside operands that are no classes.
//
// Problem.  `template <class A, class B> A operator+(A a, B b)`: Metal's vectors and numbers are no classes,
//           so Metal does not consider the template for `v + 2`. Here a vector is a class, `v + 2` needs a
//           conversion for the shim's operator and none for the template, and Clang takes the template.
// Choice.   A note says that the template is instantiated without a class or an enumeration: Clang's own, or
//           one after an error of vector_rules.h or of this file. The declaration gets a condition
//           (msl_shim/detail/vec_names.h), and the file is parsed again. Only programs that have such a
//           template and such an operand pay for it.
// Limit.    The condition names the parameters. If one has no name, the instantiation is an error.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace assay::frontend {

/// Whether it is an operator outside of a class, and none of its parameters is a class or an enumeration. For
/// Metal there is no such operator: vectors are no classes.
bool isOperatorWithoutClasses(const clang::FunctionDecl *function);

inline constexpr const char *kOperatorWithoutClasses =
    "an overloaded operator needs a parameter of a class or an enumeration, and vectors are neither: write a "
    "function with a name";

/// In a program that Clang refuses: reports templates of operators that are instantiated without a class or
/// an enumeration. Their results may be why.
void reportOperatorsWithoutClasses(clang::ASTContext &context, const ViewFileSystem &files);

/// The fixes of the template that this note names; none for any other diagnostic.
std::set<SourceFix> operatorFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
