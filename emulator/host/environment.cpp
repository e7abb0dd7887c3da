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
    return asked ? *asked : Engine::Auto;
  }();
  return engine;
}

const std::string &environmentPrintIr() {
  static const std::string pass = environmentVariable("ASSAY_PRINT_IR");
  return pass;
}

namespace {

template <class T> T numberOf(const char *variable, T usual) {
  const std::string text = environmentVariable(variable);
  std::from_chars(text.data(), text.data() + text.size(), usual);
  return usual;
}

} // namespace

size_t environmentLargeFunction() {
  return numberOf("ASSAY_LARGE_FUNCTION", lowering::kLargeFunction);
}

uint64_t environmentQuickThreads() {
  constexpr uint64_t kUsual = 65'536;
  return numberOf("ASSAY_QUICK_THREADS", kUsual);
}

} // namespace assay
