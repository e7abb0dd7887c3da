// Joins a source and the files that it includes to one text, so that a .metallib can be loaded where its
// headers are missing.
//
// Problem.  A header can be included where a condition is false, twice, or in a comment. It need not exist if
//           its #include is never reached.
// Choice.   Conditions stay in the text. Each #include of a file that is found in its directory or on the
//           include path is replaced by the file between two #line directives. `#pragma once` and #import
//           become a guard of our own, a condition like any other. An #include whose file is not found stays
//           as it was, and the compiler reports it if it reaches it. The standard headers stay, too.
// Rejected. Clang's preprocessor: macros that the host defines when it loads are not known yet, and it would
//           paste the standard library, too.
#pragma once

#include "support/text/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace assay::metal {

struct PastedSource {
  std::string text;
  std::vector<std::string> files; ///< all files that were pasted, in the order in which they were reached
};

/// path     what messages call the text; quoted names are looked for in its directory first
/// headers  that are included before the first line; each is looked for in the current folder first
/// errors   Usage "include-cycle" (a file without a guard includes itself), "bad-file" (not readable)
Result<PastedSource> pasteIncludes(const std::string &path, std::string_view text,
                                   const std::vector<std::string> &includePaths,
                                   const std::vector<std::string> &headers = {});

} // namespace assay::metal
