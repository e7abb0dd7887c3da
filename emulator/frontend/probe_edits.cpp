// Finds the place of a probe in a file. The header explains which places are refused.
#include "frontend/probe_edits.h"

#include "frontend/tokens.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::frontend {
namespace {

struct Range {
  size_t begin = 0, end = 0;
};

std::string listed(const std::vector<uint32_t> &lines) {
  constexpr size_t kShown = 8;
  std::string list;
  for (size_t i = 0; i < std::min(lines.size(), kShown); ++i)
    list += fmt::format("{}{}", i == 0 ? "" : i + 1 == lines.size() ? " and " : ", ", lines[i]);
  return lines.size() > kShown ? list + ", .." : list;
}

Result<Range> findLine(const std::string &path, std::string_view text, const SourceProbe &probe) {
  const uint32_t lines = lineAt(text, text.size());
  if (probe.line == 0 || probe.line > lines)
    return Error::usage("probe-anchor", fmt::format("probe '{}' is for line {} of {}, which has {} lines",
                                                    probe.name, probe.line, path, lines));
  size_t begin = 0;
  for (uint32_t line = 1; line < probe.line; ++line)
    begin = text.find('\n', begin) + 1;
  return Range{begin, std::min(text.find('\n', begin), text.size())};
}

Result<Range> findText(const std::string &path, std::string_view text, const SourceProbe &probe) {
  std::vector<uint32_t> lines;
  size_t first = std::string_view::npos;
  for (size_t at = text.find(probe.anchor); at != std::string_view::npos;
       at = text.find(probe.anchor, at + 1)) {
    first = std::min(first, at);
    lines.push_back(lineAt(text, at));
  }
  if (lines.empty())
    return Error::usage("probe-anchor",
                        fmt::format("probe '{}': the text '{}' is not in {}", probe.name, probe.anchor, path),
                        "an anchor is compared with the file byte by byte, spaces included");
  if (lines.size() > 1)
    return Error::usage("probe-anchor",
                        fmt::format("probe '{}': the text '{}' occurs {} times in {}, on lines {}",
                                    probe.name, probe.anchor, lines.size(), path, listed(lines)),
                        "give a longer text that occurs once, or the number of the line");
  return Range{first, first + probe.anchor.size()};
}

class Place {
public:
  Place(std::string_view text, const Range &anchor, ProbeSide side) : tokens_(lexRaw(text)), anchor_(anchor) {
    tokens_.pop_back(); // End
    next_ = size_t(std::find_if(tokens_.begin(), tokens_.end(),
                                [&](const RawToken &t) {
                                  return side == ProbeSide::Before ? t.offset >= anchor.begin
                                                                   : t.offset >= anchor.end;
                                }) -
                   tokens_.begin());
    // After a directive, the first possible place is on the next line.
    atNext_ = side == ProbeSide::Before || next_ == 0 || tokens_[next_ - 1].inDirective;
  }

  uint32_t offset() const {
    if (atNext_)
      return next_ < tokens_.size() ? tokens_[next_].offset : uint32_t(anchor_.end);
    return tokens_[next_ - 1].offset + tokens_[next_ - 1].length;
  }

  /// Why no statement can stand here; empty if one can.
  std::string refusal() const {
    const RawToken *cut = tokenAround(atNext_ ? anchor_.begin : anchor_.end);
    if (cut)
      return fmt::format("it would cut '{}' in two", cut->text);
    const bool inDefine = next_ < tokens_.size() && tokens_[next_].inDirective;
    const auto before = [&](size_t i) { // the token before token i of the program's text
      while (i-- > 0)
        if (inDefine || !tokens_[i].inDirective)
          return i;
      return kNone;
    };
    const size_t last = before(next_);
    if (last == kNone)
      return "nothing stands before it";
    const RawToken &token = tokens_[last];
    if (token.is(":") && !endsLabel(last))
      return "what stands before it, ':', ends no statement";
    if (!token.is(";") && !token.is("{") && !token.is("}") && !token.is(":"))
      return fmt::format("what stands before it, '{}', ends no statement", token.text);
    int open = 0;
    for (size_t i = last; i != kNone && !tokens_[i].is("{") && !tokens_[i].is("}"); i = before(i)) {
      open += tokens_[i].is("(");
      open -= tokens_[i].is(")");
      if (open > 0)
        return "it stands between parentheses";
    }
    return {};
  }

private:
  static constexpr size_t kNone = size_t(-1);

  const RawToken *tokenAround(size_t offset) const {
    for (const RawToken &token : tokens_)
      if (token.offset < offset && offset < token.offset + token.length)
        return &token;
    return nullptr;
  }

  // `case 1:` and `default:`, and not the colon of `a ? b : c`.
  bool endsLabel(size_t colon) const {
    for (size_t i = colon; i-- > 0;) {
      const RawToken &token = tokens_[i];
      if (token.is("case") || token.is("default"))
        return true;
      if (token.is(";") || token.is("{") || token.is("}") || token.is("?"))
        return false;
    }
    return false;
  }

  std::vector<RawToken> tokens_;
  Range anchor_;
  size_t next_ = 0; ///< first token after the place
  bool atNext_ = true;
};

// The name becomes a string literal; the expression is put on one line.
std::string statement(const SourceProbe &probe) {
  std::string expression = probe.expression;
  std::replace(expression.begin(), expression.end(), '\n', ' ');
  return fmt::format(" ASSAY_PROBE(\"{}\", {}); ", probe.name, expression);
}

} // namespace

std::vector<Edit> traceEdits(std::string_view text, const SourceProbe &probe) {
  if (probe.offset > text.size() || text.substr(probe.offset, probe.anchor.size()) != probe.anchor)
    return {};
  const uint32_t end = uint32_t(probe.offset + probe.anchor.size());
  if (probe.form == ProbeForm::TracedThrough)
    return {{probe.offset, 0, fmt::format(" ::metal::__assay::traced(\"{}\", (", probe.name)},
            {end, 0, ")) "}};
  const bool comma = probe.form == ProbeForm::TracedComma; // then the anchor ends before the ';'
  return {{end, 0,
           fmt::format("{} ::metal::__assay::trace(\"{}\", ({})){} ", comma ? "," : "", probe.name,
                       probe.expression, comma ? "" : ";")}};
}

Result<Edit> probeEdit(const std::string &path, std::string_view text, const SourceProbe &probe) {
  if (probe.name.empty() || probe.name.find_first_of("\"\\\n") != std::string::npos)
    return Error::usage("probe-name", fmt::format("'{}' cannot be the name of a probe", probe.name),
                        "use letters, digits and spaces");
  const Result<Range> anchor =
      probe.anchor.empty() ? findLine(path, text, probe) : findText(path, text, probe);
  if (!anchor)
    return anchor.error();
  const Place place(text, *anchor, probe.side);
  if (const std::string refusal = place.refusal(); !refusal.empty())
    return Error::usage("probe-place",
                        fmt::format("probe '{}' cannot stand on line {} of {}: {}", probe.name,
                                    lineAt(text, place.offset()), path, refusal),
                        "a probe is a statement: anchor it at a whole statement within braces");
  return Edit{place.offset(), 0, statement(probe)};
}

} // namespace assay::frontend
