// Reads Metal's attributes from the AST. The source view has written them as annotate("assay.<name>",
// arguments...).
#pragma once

#include "support/abi/builtins.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/PrettyPrinter.h>

#include <optional>
#include <string>
#include <vector>

namespace assay::frontend {

/// The last attribute of that name, or null. The attribute of an instantiation comes after the one of its
/// template.
const clang::AnnotateAttr *annotation(const clang::Decl *decl, llvm::StringRef name);

/// The n-th argument of an attribute, without parentheses and conversions, or null.
const clang::Expr *annotationArgument(const clang::AnnotateAttr *attr, unsigned n);

/// The same as an integer. None if there is no such argument, or if it depends on a template's parameters.
std::optional<int64_t> annotationInteger(const clang::ASTContext &context, const clang::AnnotateAttr *attr,
                                         unsigned n);

/// Whether an argument is a floating-point number or a text, which no attribute takes as an integer.
bool isNoInteger(const clang::Expr *argument);

/// The built-in that a variable or an argument holds, if it has the attribute of one, such as
/// [[thread_position_in_grid]].
std::optional<assay::Builtin> builtinOf(const clang::Decl *decl);
/// All that it has attributes of; it holds the first.
std::vector<assay::Builtin> builtinsOf(const clang::Decl *decl);

/// Whether it has an attribute with a name that resembles one of Metal's.
bool isMisspelt(const clang::Decl *decl);

/// Whether a variable at program scope is set before a thread starts: a built-in, or something that the host
/// binds (MSL 5.9).
bool isGlobalBinding(const clang::VarDecl *variable);

/// Whether something is declared in namespace metal or in a namespace inside it, as the library's names are.
bool inMetal(const clang::Decl *decl);

/// Whether a function is [[visible]] or [[stitchable]]. Both kinds can be in function tables.
bool isVisible(const clang::FunctionDecl *function);

/// Says how types and template arguments are written in names.
clang::PrintingPolicy metalPolicy(const clang::ASTContext &context);

/// The kernel's name for hosts: host_name if it has one that is not empty, else the function's name with its
/// template arguments. Empty if host_name is not a string literal. Which name Metal gives a kernel with
/// host_name("") is not known; a host can ask for no function without a name.
std::string kernelName(const clang::FunctionDecl *kernel, const clang::PrintingPolicy &policy);

} // namespace assay::frontend
