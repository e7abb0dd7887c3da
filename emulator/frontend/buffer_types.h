// What a buffer cannot hold.
//
// A buffer may have pointers and textures in structures, and not bare: "Type 'device texture2d<float> *' is
// not valid for attribute 'buffer'" says Apple's compiler. It may have no pointers to pointers at all.
// source: shader-slang/slang, issue 11970 ("only rejected because the parameter is a bare pointer type") and
//         issue 4555; shader-slang/slang-rhi, pull request 713 ("`device int *device *` cannot appear in
//         [[buffer]] pointee type").
#pragma once

#include <clang/AST/Type.h>

#include <optional>
#include <string>

namespace assay::frontend {

/// Why an argument of a kernel cannot be a buffer, in words that follow "argument 'x' "; none if it can, or
/// if something else is wrong with its type.
///   type   the parameter's: a pointer, a reference, or a metal::array
std::optional<std::string> whyNoBuffer(clang::QualType type);

} // namespace assay::frontend
