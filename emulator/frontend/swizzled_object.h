// Finds the object of the swizzles before a component, a subscript or an assignment: v, in `v.wzyx.xy`.
//
// A swizzle's value is a vector of its own (msl_shim/detail/swizzle.h), made by a getter's call. Code that
// changes the components that a swizzle names needs the object at the beginning, and the components of this
// object.
#pragma once

#include "frontend/swizzle_errors.h"

#include <clang/AST/ExprCXX.h>

#include <string>

namespace clang {
class Sema;
} // namespace clang

namespace assay::frontend {

struct SwizzledObject {
  clang::Expr *object = nullptr;        ///< with neither a swizzle nor parentheses around it
  clang::CXXRecordDecl *type = nullptr; ///< the object's class
  std::string components;               ///< of the object, in the order of the last swizzle: "xyzw", "w"
  bool swizzled = false;                ///< false: the object itself
  bool isPointer = false;               ///< `p->xy`: the object is what p points to
  std::string repeating;                ///< a swizzle that names a component twice: "xx"
  clang::Expr *assignedFirst = nullptr; ///< `v.xy = 5` in `(v.xy = 5).x`
};

/// The components in the name of a vector's getter or setter; empty for any other function.
llvm::StringRef gottenComponents(const clang::CallExpr *call);
llvm::StringRef putComponents(const clang::CallExpr *call);

/// `components` are those of the value of the expression. Empty: all of them.
SwizzledObject swizzledObject(clang::Expr *expression, clang::CXXRecordDecl *type, std::string components);

/// The object as an lvalue, evaluated after `assignedFirst`. Null after an error: if the object is a value
/// that nothing holds, if a component is named twice, or if `evaluatedTwice` is set and computing the object
/// has side effects.
clang::Expr *changeableObject(clang::Sema &sema, SwizzleErrors &errors, const SwizzledObject &swizzled,
                              clang::SourceLocation where, bool evaluatedTwice);

} // namespace assay::frontend
