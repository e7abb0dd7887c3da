// The source view of any bytes, with and without expanded macros: its edits, its text, and the way back.
#include "fuzz.h"

#include "frontend/source_view.h"
#include "frontend/tokens.h"

#include <array>

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

// Each name that begins with a capital, with the brackets after it, stands for grammar of Metal.
std::vector<Edit> expansionsOf(std::string_view source) {
  constexpr std::array texts{"[[buffer(1)]]", "threadgroup float x[2];", "", "device const", "f(x) device {"};
  std::vector<Edit> expansions;
  const std::vector<RawToken> all = lexRaw(source);
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    if (all[i].kind != TokenKind::Identifier || all[i].text[0] < 'A' || all[i].text[0] > 'Z')
      continue;
    const size_t first = i;
    if (all[i + 1].is("("))
      while (i + 2 < all.size() && !all[i].is(")"))
        ++i;
    expansions.push_back({all[first].offset, all[i].offset + all[i].length - all[first].offset,
                          texts[expansions.size() % texts.size()]});
  }
  return expansions;
}

} // namespace

static int tryInput(const uint8_t *data, size_t size) {
  const std::string_view source = textOf(data, size);
  tokens(source);
  const SourceView view(source);
  edits(source, view);
  places(view);
  const SourceView expanded(source, {}, {}, {}, expansionsOf(source));
  edits(source, expanded);
  places(expanded);
  return 0;
}

static const Parser parser("source_view", tryInput);
