// Argument buffers: structs in buffers that hold addresses of other buffers.
//
// Which struct is one, and what is in it, in the terms of a user who fills it. The layout is that of C with
// addresses of eight bytes, as since Metal 3: the index of [[id(n)]] names a member and does not move it.
// source: MSL specification, section on argument buffers; Apple, "Improving CPU performance by using argument
// buffers" (tier 2).
#pragma once

#include "support/module_info.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <functional>
#include <string>
#include <vector>

namespace assay::frontend {

using MemberError = std::function<void(clang::SourceLocation, const std::string &)>;
using Unsupported = std::function<void(std::string)>;

/// The members of the struct that a buffer argument points to, nested structs flattened; empty if it holds no
/// addresses and no ids. `unsupported` is told of members that no host can fill here, textures among them: the kernel
/// compiles, and cannot be run.
std::vector<MemberInfo> argumentBufferMembers(const clang::ASTContext &context,
                                              const clang::ParmVarDecl *argument, const MemberError &error,
                                              const Unsupported &unsupported);

} // namespace assay::frontend
