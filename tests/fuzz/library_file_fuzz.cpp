// .metallib files: Assay's own are read as they were written, Apple's and all others are refused.
#include "fuzz.h"

#include "classes/library_file.h"

using namespace assay;
using namespace assay::fuzz;
using namespace assay::metal;

static int tryInput(const uint8_t *data, size_t size) {
  const Result<std::vector<StoredSource>> sources = readLibrary(textOf(data, size), "a.metallib");
  if (!acceptedOrExplained(sources))
    return 0;
  const std::string written = writeLibrary(*sources);
  const Result<std::vector<StoredSource>> again = readLibrary(written, "b.metallib");
  require(bool(again), "what was written can be read");
  require(writeLibrary(*again) == written, "what was read is written as it was");
  require(again->size() == sources->size(), "no source is lost");
  for (size_t i = 0; i < again->size(); ++i) {
    const StoredSource &a = (*sources)[i], &b = (*again)[i];
    require(a.name == b.name && a.text == b.text && a.macros == b.macros && a.mathMode == b.mathMode &&
                a.languageVersion == b.languageVersion,
            "a source is read as it was written");
  }
  return 0;
}

static const Parser parser("library_file", tryInput);
