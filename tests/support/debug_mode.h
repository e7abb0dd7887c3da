// Whole test programs run a second time, with their kernels compiled for the debugger: ctest sets
// ASSAY_TEST_DEBUG=1 for those runs.
#pragma once

#include "emulator/host/assay.h"

#include <cstdlib>
#include <string_view>

namespace assay::testing_support {

inline bool kernelsAreForTheDebugger() {
  const char *value = std::getenv("ASSAY_TEST_DEBUG");
  return value && std::string_view(value) == "1";
}

} // namespace assay::testing_support
