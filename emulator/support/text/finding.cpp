// See finding.h.
#include "support/text/finding.h"

#include <fmt/format.h>

#include <utility>

namespace assay {

std::vector<Diagnostic> diagnosticsOf(const Finding &finding) {
  std::vector<Diagnostic> all{finding.warning};
  if (finding.count > 1)
    all.front().message += fmt::format("; {} more like it", finding.count - 1);
  all.insert(all.end(), finding.notes.begin(), finding.notes.end());
  // What to do comes last.
  if (!finding.notes.empty())
    all.back().hint = std::exchange(all.front().hint, {});
  return all;
}

} // namespace assay
