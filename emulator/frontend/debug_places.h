// Moves debug locations of the generated IR from the source view to the user's text.
#pragma once

#include "frontend/view_file_system.h"

namespace llvm {
class Module;
}

namespace assay::frontend {

/// Lines are the same in both, so only columns change, unless a #line renames lines. Later messages about a
/// running kernel use these locations.
void mapDebugPlaces(llvm::Module &module, const ViewFileSystem &files);

} // namespace assay::frontend
