// Argument buffers: structs in buffers that hold addresses of other buffers, textures and samplers.
//
// Finds these structs, and lists their members for the host that fills them. The layout is that of C with
// addresses of eight bytes, as in Metal 3 and later: the index of [[id(n)]] names a member and does not move
// it. source: MSL specification, section on argument buffers; Apple, "Improving CPU performance by using
// argument buffers" (tier 2).
#pragma once

#include "support/abi/module_info.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <functional>
#include <string>
#include <vector>

namespace assay::frontend {

using MemberError = std::function<void(clang::SourceLocation, const std::string &)>;
using Unsupported = std::function<void(std::string)>;

/// The members of the struct that a buffer argument points to, nested structs flattened; empty if it holds no
/// addresses, textures, samplers or ids. `unsupported` is called for members that no host can fill here, such
/// as acceleration structures: the kernel compiles, but cannot be run.
std::vector<MemberInfo> argumentBufferMembers(const clang::ASTContext &context,
                                              const clang::DeclaratorDecl *argument, const MemberError &error,
                                              const Unsupported &unsupported);

} // namespace assay::frontend
