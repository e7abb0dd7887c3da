// Files by name, where "-" is standard input or output; errors are printed for `tool`.
#pragma once

#include "support/text/result.h"

#include <string>

namespace assay::metal {

Result<std::string> readAll(const std::string &path);
Result<void> writeAll(const std::string &path, const std::string &bytes);

/// Prints it, and returns its exit code.
int complain(const char *tool, const Error &error);

} // namespace assay::metal
