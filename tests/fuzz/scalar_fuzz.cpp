// Scalars of the command line: what is printed is read again as the same value.
#include "fuzz.h"

#include "cli/scalar_text.h"

using namespace assay;
using namespace assay::fuzz;
using namespace assay::cli;

static int tryInput(const uint8_t *data, size_t size) {
  const std::string_view text = textOf(data, size);
  for (const ScalarTypeInfo &info : kScalarTypes) {
    const Result<uint64_t> bits = parseScalar(text, info.type);
    if (!acceptedOrExplained(bits))
      continue;
    require(info.bytes == 8 || *bits >> (info.bytes * 8) == 0, "the bits are zero-extended");
    const std::string printed = formatScalar(&*bits, info.type);
    const Result<uint64_t> again = parseScalar(printed, info.type);
    require(bool(again), "what is printed can be read");
    require(printed == "nan" || *again == *bits, "what is printed is read as it was");
  }
  return 0;
}

static const Parser parser("scalar", tryInput);
