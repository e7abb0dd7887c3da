#include "environment.h"
#include "engine_text.h"

#include "../lowering/lower.h"

#include <charconv>
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

Engine environmentEngine() {
  static const Engine engine = [] {
    const Result<Engine> asked = parseEngine(environmentVariable("ASSAY_ENGINE"));
    return asked && *asked != Engine::Auto ? *asked : Engine::Vector;
  }();
  return engine;
}

const std::string &environmentPrintIr() {
  static const std::string pass = environmentVariable("ASSAY_PRINT_IR");
  return pass;
}

size_t environmentLargeFunction() {
  const std::string text = environmentVariable("ASSAY_LARGE_FUNCTION");
  size_t instructions = lowering::kLargeFunction;
  std::from_chars(text.data(), text.data() + text.size(), instructions);
  return instructions;
}

} // namespace assay
