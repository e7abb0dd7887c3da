// Apple's command line tools as build files call them, with the same names and options: xcrun, metal,
// metallib.
//
// metal really compiles, so that mistakes are found when the host is built, and the result is in the cache
// when the host loads it. The file that it writes, an .air or a .metallib, contains the source with its
// headers (library_file.h).
#pragma once

#include <string>
#include <vector>

namespace assay::metal {

/// Each returns the program's exit code: 0 success, 1 the source is at fault, 2 the request is.
int metalCommand(const std::vector<std::string> &arguments);
int metallibCommand(const std::vector<std::string> &arguments);
int metalArCommand(const std::vector<std::string> &arguments);
int xcrunCommand(const std::vector<std::string> &arguments, const std::string &binFolder);

} // namespace assay::metal
