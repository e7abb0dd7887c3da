// Reads and writes files by name, where "-" is standard input or output, and runs programs. Errors are
// printed in the name of `tool`.
#pragma once

#include "support/text/result.h"

#include <string>
#include <vector>

namespace assay::metal {

Result<std::string> readAll(const std::string &path);
Result<void> writeAll(const std::string &path, const std::string &bytes);

/// Runs another program in place of this one: words[0], which is a path or is found in PATH. Returns only if
/// the program cannot be run, with an exit code.
int become(const char *tool, std::vector<std::string> words);

/// Prints the error, and returns its exit code.
int complain(const char *tool, const Error &error);

} // namespace assay::metal
