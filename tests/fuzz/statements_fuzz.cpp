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
    probe.form = one.isExpression ? ProbeForm::TracedComma : ProbeForm::Traced;
    probe.offset = one.begin;
    probe.anchor = text.substr(one.begin, (one.isExpression ? one.end : one.after) - one.begin);
    const std::optional<Edit> edit = traceEdit(text, probe);
    require(edit && edit->length == 0 && edit->offset == one.begin + probe.anchor.size(),
            "a probe is one insertion at the statement's end");
    require(edit->text.find('\n') == std::string::npos, "a probe adds no line");
  }
  return 0;
}

static const Parser parser("statements", tryInput);
