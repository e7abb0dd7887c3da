// How Clang is called: the one list of options behind `assay check`, `assay run` and the command line that
// `assay translate` prints.
#pragma once

#include "frontend/compile.h"

#include <string>
#include <vector>

namespace assay::frontend {

/// How what every program sees comes to be there before its first line.
enum class PreludeForm {
  Text,        ///< detail/prelude.h is parsed
  Precompiled, ///< the file kPrecompiledPath is read; see precompiled_shim.h
  None         ///< the source brings it
};

/// Options of `clang++-19 -cc1` for a request, without the input file.
std::vector<std::string> compilerArguments(const SourceRequest &request, const std::string &shimPath,
                                           PreludeForm prelude);

/// A command line for the stock driver that compiles a translated file.
std::string stockCommandLine(const std::string &shimPath);

} // namespace assay::frontend
