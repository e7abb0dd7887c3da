// A fuzzer of several parsers: the first line of an input names the parser, the rest is for it.
#include "fuzz.h"

#include <map>
#include <memory>

namespace assay::fuzz {
namespace {

std::map<std::string_view, Parser::Function *> &parsers() {
  static std::map<std::string_view, Parser::Function *> all;
  return all;
}

} // namespace

Parser::Parser(std::string_view name, Function *function) {
  parsers()[name] = function;
}

} // namespace assay::fuzz

using namespace assay::fuzz;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view rest = textOf(data, size);
  const auto parser = parsers().find(takeLine(rest));
  if (parser == parsers().end())
    return kNoParser;
  // A copy of exactly this size, so that AddressSanitizer sees what reads past either end.
  const std::unique_ptr<uint8_t[]> copy(new uint8_t[rest.size()]);
  std::copy(rest.begin(), rest.end(), copy.get());
  return parser->second(copy.get(), rest.size());
}
