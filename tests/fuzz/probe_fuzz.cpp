// The place of a probe in any file. The first line is the anchor, or the number of a line; the second is the
// side.
#include "fuzz.h"

#include "frontend/probe_edits.h"

#include <charconv>

using namespace assay;
using namespace assay::fuzz;
using namespace assay::frontend;

static int tryInput(const uint8_t *data, size_t size) {
  std::string_view text = textOf(data, size);
  SourceProbe probe;
  probe.name = "p";
  probe.expression = "x +\ny";
  const std::string_view anchor = takeLine(text);
  const auto [end, error] = std::from_chars(anchor.data(), anchor.data() + anchor.size(), probe.line);
  if (error != std::errc() || end != anchor.data() + anchor.size())
    probe.anchor = anchor;
  probe.side = takeLine(text) == "after" ? ProbeSide::After : ProbeSide::Before;
  const Result<Edit> edit = probeEdit("a.metal", text, probe);
  if (!acceptedOrExplained(edit))
    return 0;
  require(edit->length == 0 && edit->offset <= text.size(), "a probe is one insertion in the file");
  require(edit->text.find('\n') == std::string::npos, "a probe adds no line");
  const SourceView view(text, {}, {*edit});
  require(view.text().find(edit->text) != std::string::npos, "the view has the probe");
  require(std::count(view.text().begin(), view.text().end(), '\n') ==
              std::count(text.begin(), text.end(), '\n'),
          "the view has the original's lines");
  return 0;
}

static const Parser parser("probe", tryInput);
