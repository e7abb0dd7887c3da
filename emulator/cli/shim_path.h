// Finds the shim's headers on disk, for other programs. Assay itself has an embedded copy.
#pragma once

#include <string>

namespace assay::cli {

/// share/assay/msl_shim beside an installed assay; in a build tree, the source tree's msl_shim.
std::string shimPath();

} // namespace assay::cli
