// Finds conversions of scalars that lose values, which C++ forbids within braces. Clang itself checks the
// conversions in arrays, structs and scalars; here the elements of a vector are arguments of a constructor.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <optional>
#include <string>

namespace assay::frontend {

/// The reason why `value` may not become a scalar of type `to` in braces, or none if it may.
std::optional<std::string> narrowing(const clang::Expr *value, clang::QualType to,
                                     const clang::ASTContext &context);

} // namespace assay::frontend
