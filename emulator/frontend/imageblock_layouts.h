// The layout of an imageblock, which depends on attributes of its structure.
//
// Problem.  `imageblock<T>` has the implicit layout if members of T have [[color(n)]], and else the explicit
//           one, each with members of its own. A slice of the implicit one, `b.slice<half4>(1)`, is of the
//           member with [[color(1)]], and has its type. No template can ask for an attribute.
//           source: MSL specification, 2.11, 5.6.4 and 6.13
// Choice.   A structure with such members gets a member type, `__assay_colors`, when it is complete. The shim
//           asks for it (msl_shim/metal_imageblocks). The types of slices are checked here.
#pragma once

#include "frontend/instantiations.h"

namespace clang {
class ASTContext;
class TagDecl;
} // namespace clang

namespace assay::frontend {

class ViewFileSystem;

/// To be called when the class is complete.
void markColors(const clang::TagDecl *tag);

/// Reports slices of colors that the structure does not have.
void checkSlices(clang::ASTContext &context, const ViewFileSystem &files, const Declarations &declarations);

} // namespace assay::frontend
