#include "environment.h"

#include <cstdlib>

namespace assay {

std::string environmentVariable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

const std::string &environmentCpu() {
  static const std::string cpu = environmentVariable("ASSAY_CPU");
  return cpu;
}

const std::string &environmentPrintIr() {
  static const std::string pass = environmentVariable("ASSAY_PRINT_IR");
  return pass;
}

} // namespace assay
