// The source view of any bytes: its edits, its text, and the way back from it.
#include "fuzz.h"

#include "frontend/source_view.h"
#include "frontend/tokens.h"

using namespace assay;
using namespace assay::fuzz;
using namespace assay::frontend;

namespace {

ptrdiff_t linesIn(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

void tokens(std::string_view source) {
  const std::vector<RawToken> all = lexRaw(source);
  require(!all.empty() && all.back().kind == TokenKind::End, "tokens end with End");
  size_t at = 0;
  for (const RawToken &token : all) {
    require(token.offset >= at && token.offset + token.length <= source.size(),
            "tokens are in order, and in the text");
    require(token.text == source.substr(token.offset, token.length), "a token is its part of the text");
    at = token.offset + token.length;
  }
}

void edits(std::string_view source, const SourceView &view) {
  size_t at = 0, end = 0;
  for (const Edit &edit : view.edits()) {
    require(edit.offset >= at && edit.offset + edit.length <= source.size(), "edits are sorted and disjoint");
    require(linesIn(edit.text) == linesIn(source.substr(edit.offset, edit.length)),
            "an edit keeps its lines");
    end += edit.offset - at;
    for (size_t i = at; i < edit.offset; i += 1 + (edit.offset - i) / 2)
      require(view.originalOffset(uint32_t(end - (edit.offset - i))) == i,
              "a place between edits leads back");
    end += edit.text.size();
    at = edit.offset + edit.length;
  }
  require(view.text().size() == end + (source.size() - at), "the view is the original with its edits");
  require(linesIn(view.text()) == linesIn(source), "the view has the original's lines");
}

void places(const SourceView &view) {
  const std::string &text = view.text();
  const size_t step = 1 + text.size() / 512; // each look is a search through all edits
  uint32_t line = 1, column = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i % step == 0) {
      const uint32_t original = view.originalColumn(line, column);
      require(original >= 1 && original <= view.originalLine(line).size() + 2, "a column is in its line");
    }
    ++column;
    if (text[i] == '\n')
      ++line, column = 1;
  }
  (void)view.nameOf(line);
  (void)view.nameOf(1);
}

} // namespace

static int tryInput(const uint8_t *data, size_t size) {
  const std::string_view source = textOf(data, size);
  tokens(source);
  const SourceView view(source);
  edits(source, view);
  places(view);
  return 0;
}

static const Parser parser("source_view", tryInput);
