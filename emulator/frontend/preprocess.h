// The preprocessor alone: what `metal -E` prints.
//
// Choice.   The text stays Metal. Metal's keywords are macros of the shim and are not expanded, and an
//           #include of Metal's library stays a line: its expansion would be the shim's, for no other
//           compiler. Macros for Metal's version and limits are expanded.
#pragma once

#include "frontend/compile.h"

namespace assay::frontend {

struct PreprocessOptions {
  bool lineMarkers = true;    ///< without them: -P
  bool comments = false;      ///< -C
  bool macroComments = false; ///< -CC: those in macros, too
};

struct IncludedHeader {
  uint32_t depth = 1; ///< of what the source itself includes
  std::string path;   ///< as it was found
};

struct Preprocessed {
  std::string text;
  std::vector<IncludedHeader> headers; ///< the user's, in the order in which they were entered
  std::vector<Diagnostic> warnings;
};

/// errors   Kernel with Clang's diagnostics; Usage "no-such-file"
Result<Preprocessed> preprocess(const SourceRequest &request, const PreprocessOptions &options);

} // namespace assay::frontend
