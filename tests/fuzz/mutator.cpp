// How libFuzzer changes an input: in what is for the parser, and not in the line that names it. So an input
// stays with its parser, and a run that begins with the inputs of one parser is about that one alone.
#include "fuzz.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most); // libFuzzer's own ways
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned /*seed*/) {
  const size_t line = std::min<size_t>(std::find(data, data + size, '\n') - data + 1, size);
  return line < most ? line + LLVMFuzzerMutate(data + line, size - line, most - line) : size;
}
