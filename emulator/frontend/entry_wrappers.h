// The entry wrapper of each kernel: an IR function `void ()` that fetches every argument through a primitive
// and calls the kernel by Clang's own calling convention, so that nobody behind the front end needs to know
// it.
#pragma once

#include "frontend/reflection.h"

namespace clang {
class CodeGenerator;
}

namespace assay::frontend {

/// Adds the wrappers to the module under construction and fills in the IR symbols of `module.info`.
void addEntryWrappers(clang::CodeGenerator &generator, clang::ASTContext &context, ReflectedModule &module);

} // namespace assay::frontend
