// Translates a Mac's command line of clang or clang++ for Clang on this machine.
//
// Problem.  The Makefile of a Mac program links `-framework Metal`, builds for `-arch arm64`, names an SDK of
//           Apple's, and counts on what Apple's clang does without being told: blocks, the Objective-C
//           runtime, the system's headers, `__APPLE__`, the mathematical library.
// Choice.   A table (mac_options.def) of the options that differ; each is dropped, or replaced by what has
//           the same effect. All others reach Clang as they are. Frameworks are one library, libMetal.so. A
//           framework that is not in the SDK is a note and no error: many programs link one that they do not
//           use, and the linker names what is really missing.
// Rejected. A toolchain with Apple's target (clang -target arm64-apple-macos): it makes Mach-O files, for
//           which there is neither a linker nor a loader here. Shell wrappers: options with quoted values and
//           lists after -Wl, do not survive them.
//
// The standard library is libstdc++ unless -stdlib=libc++ asks for the other and it is installed.
#pragma once

#include "support/text/result.h"

#include <string>
#include <vector>

namespace assay::metal {

/// What the command line is translated for.
struct HostCompiler {
  std::string program;   ///< the Clang that is run
  std::string sdk;       ///< the folder with include/ and lib/
  bool cxx = false;      ///< called as clang++
  bool arm = false;      ///< this machine is an arm64
  bool libcxx = false;   ///< libc++ is installed
  bool lapack = false;   ///< liblapack is installed, a part of Accelerate
  bool portable = false; ///< the program is not built as for a Mac: no __APPLE__, and TARGET_OS_OSX is 0
  /// Called by CMake with the SDK's toolchain.cmake, whose flags already say what a Mac's compiler does
  /// without being told.
  bool cmake = false;
};

struct HostCommand {
  std::vector<std::string> words; ///< of the command, the program first
  std::vector<std::string> notes; ///< for the user, a line each
};

/// errors   Usage "bad-option" (an option without its value)
Result<HostCommand> hostCommand(const HostCompiler &compiler, const std::vector<std::string> &arguments);

} // namespace assay::metal
