// The environment's variables that say how kernels are compiled, for developers of Assay. Read once: what a
// process compiles must not change while it runs.
#pragma once

#include <string>

namespace assay {

/// ASSAY_CPU: another x86-64 CPU to generate code for. Empty: this machine's.
const std::string &environmentCpu();
/// ASSAY_PRINT_IR: the pass of lowering after which the module is printed.
const std::string &environmentPrintIr();

/// Empty if there is no such variable.
std::string environmentVariable(const char *name);

} // namespace assay
