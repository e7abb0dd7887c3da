// Files of accepted findings: each line is read or refused at its line, and what is read has all its parts.
#include "fuzz.h"

#include "validation/suppressions.h"

using namespace assay;
using namespace assay::fuzz;

static int tryInput(const uint8_t *data, size_t size) {
  const Result<Suppressions> read = Suppressions::parse(textOf(data, size), "accepted.txt");
  if (!acceptedOrExplained(read))
    return 0;
  for (const Suppression &one : read->all()) {
    require(!one.rule.empty() && !one.file.empty() && !one.reason.empty(), "all parts are there");
    Finding finding;
    finding.warning.rule = one.rule;
    finding.warning.where = {one.file, one.line ? one.line : 1, 1};
    require(one.covers(finding), "it covers its own place");
  }
  return 0;
}

static const Parser parser("suppressions", tryInput);
