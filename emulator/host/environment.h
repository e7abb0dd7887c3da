// The environment variables for developers of Assay that change how kernels are compiled. They are read
// once, because they must not change while a process runs. ASSAY_LARGE_FUNCTION and ASSAY_QUICK_THREADS are
// read for each pipeline, for tests that compile one kernel in both ways.
#pragma once

#include "../support/abi/code_options.h"

#include <cstdint>
#include <string>

namespace assay {

/// ASSAY_CPU: another x86-64 CPU to generate code for. Empty: this machine's.
const std::string &environmentCpu();
/// ASSAY_PRINT_IR: the pass of lowering after which the module is printed.
const std::string &environmentPrintIr();
/// ASSAY_ENGINE: the engine for kernels whose options do not name one. Engine::Auto if there is none; an
/// unknown name counts as none.
Engine environmentEngine();

/// ASSAY_LARGE_FUNCTION: LoweringTarget::largeFunction. If it is not a number, the usual limit holds.
size_t environmentLargeFunction();
/// ASSAY_QUICK_THREADS: dispatches of more threads have no quick code (kernel_codes.h). If it is not a
/// number, the usual limit holds.
uint64_t environmentQuickThreads();

/// Empty if there is no such variable.
std::string environmentVariable(const char *name);

} // namespace assay
