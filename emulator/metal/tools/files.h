// Files by name, where "-" is standard input or output; programs; errors are printed for `tool`.
#pragma once

#include "support/text/result.h"

#include <string>
#include <vector>

namespace assay::metal {

Result<std::string> readAll(const std::string &path);
Result<void> writeAll(const std::string &path, const std::string &bytes);

/// Runs another program in the place of this one: words[0], by its path or found in PATH. Returns only if it
/// cannot be run, with an exit code.
int become(const char *tool, std::vector<std::string> words);

/// Prints it, and returns its exit code.
int complain(const char *tool, const Error &error);

} // namespace assay::metal
