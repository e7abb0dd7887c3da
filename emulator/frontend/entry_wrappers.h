// The entry wrapper of each kernel: an IR function `void ()` that gets every argument from a primitive and
// calls the kernel with Clang's own calling convention, so that later stages need not know it.
#pragma once

#include "frontend/reflection.h"

namespace clang {
class CodeGenerator;
}

namespace assay::frontend {

/// Adds the wrappers to the module under construction and fills in the IR symbols of `module.info`.
void addEntryWrappers(clang::CodeGenerator &generator, clang::ASTContext &context, ReflectedModule &module);

} // namespace assay::frontend
