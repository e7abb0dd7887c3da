// The statements of any text, and their probes.
#include "fuzz.h"

#include "frontend/probe_edits.h"
#include "frontend/statements.h"

using namespace assay;
using namespace assay::fuzz;
using namespace assay::frontend;

static int tryInput(const uint8_t *data, size_t size) {
  const std::string_view text = textOf(data, size);
  uint32_t begin = 0;
  for (const SourceStatement &one : statementsOf(text)) {
    require(begin <= one.begin, "statements are in order");
    begin = one.begin;
    require(one.begin < one.end && one.end <= one.after && one.after <= text.size(),
            "a statement is in the text");
    require(one.line == 1 + std::count(text.begin(), text.begin() + one.begin, '\n'),
            "a statement has its line");
    require(!one.tokens.empty(), "a statement has tokens");
    if (one.value.empty())
      continue;
    SourceProbe probe;
    probe.name = "p";
    probe.expression = one.value;
    const bool through = one.form == ValueForm::Through;
    probe.form = through                          ? ProbeForm::TracedThrough
                 : one.form == ValueForm::Operand ? ProbeForm::TracedComma
                                                  : ProbeForm::Traced;
    probe.offset = through ? one.valueBegin : one.begin;
    const uint32_t end = through ? one.valueEnd : one.form == ValueForm::Operand ? one.end : one.after;
    require(probe.offset >= one.begin && end > probe.offset && end <= one.after,
            "a value is in its statement");
    probe.anchor = text.substr(probe.offset, end - probe.offset);
    const std::vector<Edit> edits = traceEdits(text, probe);
    require(edits.size() == (through ? 2u : 1u) && edits.back().offset == end,
            "a probe ends with its anchor");
    for (const Edit &edit : edits)
      require(edit.length == 0 && edit.text.find('\n') == std::string::npos, "a probe adds text and no line");
  }
  return 0;
}

static const Parser parser("statements", tryInput);
