// Metal's attributes as the source view leaves them in the AST: annotate("assay.<name>", arguments...).
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/PrettyPrinter.h>

#include <string>

namespace assay::frontend {

/// The attribute of that name, or null. The last one counts: an instantiation's own stands behind the template's.
const clang::AnnotateAttr *annotation(const clang::Decl *decl, llvm::StringRef name);

/// Its n-th argument without parentheses and conversions, or null.
const clang::Expr *annotationArgument(const clang::AnnotateAttr *attr, unsigned n);

/// Whether something is declared in namespace metal itself: one of the library's own.
bool inMetal(const clang::Decl *decl);

/// How types and template arguments are written in names.
clang::PrintingPolicy metalPolicy(const clang::ASTContext &context);

/// The name by which a kernel is asked for: host_name if there is one, else the function's with its template
/// arguments. Empty if host_name is not a string literal.
std::string kernelName(const clang::FunctionDecl *kernel, const clang::PrintingPolicy &policy);

} // namespace assay::frontend
