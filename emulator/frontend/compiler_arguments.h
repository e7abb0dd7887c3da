// Clang's options: one list for every compilation and for the command line that `assay translate` prints.
#pragma once

#include "frontend/compile.h"

#include <string>
#include <vector>

namespace assay::frontend {

/// How the prelude, which every program sees, is read before its first line.
enum class PreludeForm {
  Text,        ///< detail/prelude.h is parsed
  Precompiled, ///< the file kPrecompiledPath is read; see precompiled_shim.h
  None         ///< the source contains it
};

/// Options of `clang++-19 -cc1` for a request, without the input file.
std::vector<std::string> compilerArguments(const SourceRequest &request, const std::string &shimPath,
                                           PreludeForm prelude);

/// A command line for the stock driver that compiles a translated file.
std::string stockCommandLine(const std::string &shimPath);

} // namespace assay::frontend
