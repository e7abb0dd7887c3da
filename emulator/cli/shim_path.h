// Where the shim's headers are, for programs other than Assay: it carries its own copy inside.
#pragma once

#include <string>

namespace assay::cli {

/// share/assay/msl_shim beside an installed assay; in a build tree, the source tree's msl_shim.
std::string shimPath();

} // namespace assay::cli
