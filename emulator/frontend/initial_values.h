// What the initialisers of variables outside of functions, and of threadgroup memory, come to.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/AST/APValue.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

namespace assay::frontend {

/// Whether all bits of the value are zero, where it has any.
bool isZero(const clang::APValue &value);

/// Whether an initialiser has parts that are unknown before a kernel runs: variables of a function, and
/// functions of the user that are not constexpr, unless a function constant is there, with which Apple's
/// compiler takes them (SPIRV-Cross, shaders-msl/vulkan/frag/spec-constant.vk.frag). Lowering computes all
/// other values, including the shim's classes.
bool isUnknownBeforeKernels(clang::ASTContext &context, const ViewFileSystem &files,
                            clang::Expr *initialiser);

} // namespace assay::frontend
