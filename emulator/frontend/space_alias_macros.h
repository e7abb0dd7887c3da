// Finds the macros of a compilation that stand for address spaces, as Clang's preprocessor has defined them.
// This is a header of its own because other users of space_aliases.h do not use Clang.
#pragma once

#include "frontend/space_aliases.h"

namespace clang {
class Preprocessor;
}

namespace assay::frontend {

/// Adds every macro that is defined from now on. `aliases` must live as long as the preprocessor.
void collectSpaceAliases(clang::Preprocessor &preprocessor, SpaceAliases &aliases);

} // namespace assay::frontend
