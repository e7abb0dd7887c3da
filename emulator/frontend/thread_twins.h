// Replaces the calls of twins, which Clang takes for objects in thread memory (method_spaces.h), by calls of
// the functions whose twins they are. A twin has no body. It differs from its function in the space of the
// object alone, which is one space in generated code, so that the call stays as it is.
#pragma once

#include "frontend/instantiations.h"
#include "frontend/view_file_system.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace assay::frontend {

/// Before the rules, which know no twins.
void replaceTwins(clang::ASTContext &context, const ViewFileSystem &files, const Declarations &declarations);

} // namespace assay::frontend
