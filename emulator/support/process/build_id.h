// The number that the linker gives each build of a program or library (NT_GNU_BUILD_ID), as it was loaded.
#pragma once

#include <string>

namespace assay {

/// Of the program or the library whose code or data lies at this address, in hexadecimal; empty if it was
/// linked without one. It is read from memory: the file at the path may have been replaced meanwhile.
std::string buildIdAt(const void *address);

} // namespace assay
