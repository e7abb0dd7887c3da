// The environment variables for developers of Assay that change how kernels are compiled. They are read once,
// because this must not change while a process runs, but for the last one.
#pragma once

#include "../support/abi/code_options.h"

#include <string>

namespace assay {

/// ASSAY_CPU: another x86-64 CPU to generate code for. Empty: this machine's.
const std::string &environmentCpu();
/// ASSAY_PRINT_IR: the pass of lowering after which the module is printed.
const std::string &environmentPrintIr();
/// ASSAY_ENGINE: what runs kernels whose options leave it open. A name that is none is as if there were none.
Engine environmentEngine();

/// ASSAY_LARGE_FUNCTION: LoweringTarget::largeFunction. Read each time, for tests that compile one kernel in
/// both ways; without a number it is the usual limit.
size_t environmentLargeFunction();

/// Empty if there is no such variable.
std::string environmentVariable(const char *name);

} // namespace assay
