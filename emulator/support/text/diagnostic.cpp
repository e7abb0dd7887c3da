// The one renderer of diagnostics.
#include "support/text/diagnostic.h"
#include "support/text/result.h"

#include <algorithm>
#include <fmt/format.h>

namespace assay {
namespace {

struct Look {
  const char *bold, *severity, *caret, *reset;
};

Look lookOf(Severity severity, bool color) {
  if (!color)
    return {"", "", "", ""};
  const char *c = severity == Severity::Error     ? "\x1b[1;31m"
                  : severity == Severity::Warning ? "\x1b[1;35m"
                                                  : "\x1b[1;36m";
  return {"\x1b[1m", c, "\x1b[1;32m", "\x1b[0m"};
}

// A line may be a whole file, as in generated sources: of a long one, the part round the caret is shown.
Diagnostic withShortLine(Diagnostic d) {
  constexpr size_t kLongest = 240, kAround = 80;
  constexpr std::string_view kLeftOut = "... ";
  const std::string line = std::move(d.sourceLine);
  const auto startsCharacter = [&](size_t at) { return at >= line.size() || (line[at] & 0xc0) != 0x80; };
  const size_t caret = d.where.column ? d.where.column - 1 : 0;
  size_t first = caret > kAround ? std::min(caret, line.size()) - kAround : 0;
  size_t last = first + 2 * kAround;
  while (first > 0 && !startsCharacter(first))
    --first;
  while (!startsCharacter(last))
    ++last;
  d.sourceLine = line.size() > kLongest ? line.substr(first, last - first) : line;
  if (line.size() <= kLongest)
    return d;
  if (last < line.size())
    d.sourceLine += " ...";
  if (!first)
    return d;
  d.sourceLine.insert(0, kLeftOut);
  const auto moved = [&](uint32_t column) {
    return column > first ? uint32_t(column - first + kLeftOut.size()) : 1;
  };
  d.where.column = moved(d.where.column);
  for (auto &[from, to] : d.ranges)
    from = moved(from), to = moved(to);
  return d;
}

// The caret line under a source line. Tabs are kept so that the caret stays under its column.
std::string caretLine(const Diagnostic &d) {
  std::string line;
  const size_t caret = d.where.column ? d.where.column - 1 : 0;
  size_t width = caret + 1;
  for (auto [first, last] : d.ranges)
    width = std::max<size_t>(width, last ? last - 1 : 0);
  width = std::min(width, std::max(d.sourceLine.size(), caret + 1));
  for (size_t i = 0; i < width; ++i)
    line += i < d.sourceLine.size() && d.sourceLine[i] == '\t' ? '\t' : ' ';
  for (auto [first, last] : d.ranges)
    for (size_t i = first ? first - 1 : 0; i + 1 < last && i < line.size(); ++i)
      line[i] = '~';
  line[caret] = '^';
  return line;
}

} // namespace

std::string_view nameOf(Severity severity) {
  switch (severity) {
  case Severity::Note: return "note";
  case Severity::Warning: return "warning";
  case Severity::Error: return "error";
  }
  return "error";
}

std::string renderDiagnostic(const Diagnostic &d, bool color) {
  const Look look = lookOf(d.severity, color);
  std::string text = look.bold;
  if (d.where.known()) {
    text += fmt::format("{}:{}:", d.where.file, d.where.line);
    if (d.where.column)
      text += fmt::format("{}:", d.where.column);
    text += ' ';
  } else if (!d.where.file.empty()) {
    text += d.where.file + ": ";
  }
  text += fmt::format("{}{}: {}{}{}", look.severity, nameOf(d.severity), look.reset, look.bold, d.message);
  if (!d.rule.empty())
    text += fmt::format(" [{}]", d.rule);
  text += look.reset;
  text += '\n';
  if (!d.sourceLine.empty() && d.where.column) {
    const Diagnostic shown = withShortLine(d);
    text += fmt::format("  {}\n  {}{}{}\n", shown.sourceLine, look.caret, caretLine(shown), look.reset);
  }
  if (!d.hint.empty())
    text += fmt::format("  {}\n", d.hint);
  return text;
}

std::string renderDiagnostics(const std::vector<Diagnostic> &diagnostics, bool color) {
  std::string text;
  for (const Diagnostic &d : diagnostics)
    text += renderDiagnostic(d, color);
  return text;
}

Error Error::usage(Rule rule, std::string message, std::string hint) {
  Error e{ErrorKind::Usage, {}};
  e.diagnostics.push_back({Severity::Error, {}, std::move(message), rule.text(), std::move(hint), {}, {}});
  return e;
}

Error Error::kernel(Rule rule, std::string message, SourcePlace where, std::string hint) {
  Error e{ErrorKind::Kernel, {}};
  e.diagnostics.push_back(
      {Severity::Error, std::move(where), std::move(message), rule.text(), std::move(hint), {}, {}});
  return e;
}

} // namespace assay
