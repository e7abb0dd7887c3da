// Names of the shim's vectors, which become Metal's in messages.
#include "fuzz.h"

#include "support/abi/metal_names.h"

using namespace assay;
using namespace assay::fuzz;

static int tryInput(const uint8_t *data, size_t size) {
  const std::string text(textOf(data, size)), named = vectorNames(text);
  if (text.find("vec<") == text.npos && text.find("__assay_vectors::") == text.npos)
    require(named == text, "a text without vectors stays as it is");
  return 0;
}

static const Parser parser("vector_names", tryInput);
