// The whole frontend: any source of up to 64 KB compiles, or is refused with a reason. Clang is part of what
// runs, but not instrumented, so this fuzzer is slow and sees only Assay's own code; scripts/fuzz runs it
// only if it is named.
#include "fuzz.h"

#include "frontend/compile.h"

using namespace assay;
using namespace assay::fuzz;

static int tryInput(const uint8_t *data, size_t size) {
  if (size > 65536)
    return 0;
  frontend::SourceRequest request;
  request.path = "a.metal";
  request.text = std::string(textOf(data, size));
  if (request.text->find("include") != std::string::npos && request.text->find("\"") != std::string::npos)
    return 0; // files of this machine
  const Result<frontend::CompiledModule> module = frontend::compile(request);
  if (acceptedOrExplained(module))
    require(!module->bitcode.empty(), "a compiled module has code");
  return 0;
}

static const Parser parser("compile", tryInput);
