#include "frontend/declaration_ends.h"

#include "frontend/shim_files.h"
#include "frontend/tokens.h"

#include <algorithm>

namespace assay::frontend {
namespace {

constexpr std::string_view kClosedDirectives[] = {"define", "undef", "line", "error", "warning"};
// Their value is the place of the call, by #line. (Of macros, compile.cpp is told when they are expanded.)
constexpr std::string_view kPlaceFunctions[] = {"__builtin_LINE", "__builtin_FILE", "__builtin_FILE_NAME",
                                                "__builtin_COLUMN", "__builtin_source_location"};
constexpr std::string_view kPragmasOfAPlace[] = {"once", "mark", "unused", "unroll", "nounroll"};

// A line that begins with #: the tokens after it.
using Line = std::vector<std::string_view>;

bool isShimHeader(std::string_view name) {
  return std::ranges::any_of(shimFiles(), [&](const ShimFile &file) { return file.name == name; });
}

bool isAllowed(const Line &line, std::string_view text) {
  if (line.empty() || std::ranges::count(kClosedDirectives, line[0]))
    return true;
  if (line[0] == "include") { // <name>
    const size_t open = text.find('<'), close = text.find('>');
    return open != text.npos && close != text.npos && text.find('"') == text.npos &&
           isShimHeader(text.substr(open + 1, close - open - 1));
  }
  if (line[0] != "pragma" || line.size() < 2)
    return false;
  return std::ranges::count(kPragmasOfAPlace, line[1]) ||
         (line.size() > 2 &&
          ((line[1] == "METAL" && line[2] == "internals") || (line[1] == "clang" && line[2] == "loop")));
}

// `template` that begins the explicit instantiation of a function or a variable.
bool asksForCode(const std::vector<RawToken> &tokens, size_t at) {
  if (!tokens[at].is("template") || at + 1 == tokens.size())
    return false;
  constexpr std::string_view kOthers[] = {"<", "class", "struct", "union"};
  return std::ranges::none_of(kOthers, [&](std::string_view word) { return tokens[at + 1].is(word); });
}

// The beginning of the next line, if nothing but a comment follows on this one; 0 if there is none.
uint32_t lineAfter(std::string_view text, size_t at) {
  const size_t end = text.find('\n', at);
  if (end == text.npos)
    return 0;
  const std::string_view rest = text.substr(at, end - at);
  const size_t comment = std::min(rest.find_first_not_of(" \t"), rest.size());
  const bool plain = comment == rest.size() || rest.substr(comment).starts_with("//");
  return plain && rest.find('\\') == rest.npos ? uint32_t(end + 1) : 0;
}

} // namespace

std::vector<uint32_t> declarationEnds(std::string_view text) {
  if (text.find('\r') != text.npos) // lines that end otherwise
    return {};
  const auto lexed = lexSource(text);
  const std::vector<RawToken> &tokens = lexed->tokens;
  std::vector<uint32_t> ends;
  if (std::ranges::any_of(tokens,
                          [](const RawToken &t) { return std::ranges::count(kPlaceFunctions, t.text); }))
    return {};
  int brackets = 0, conditions = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const RawToken &token = tokens[i];
    if (token.startsLine && token.is("#")) {
      Line line;
      size_t last = i;
      while (last + 1 < tokens.size() && tokens[last + 1].inDirective && !tokens[last + 1].startsLine)
        line.push_back(tokens[++last].text);
      const std::string_view word = line.empty() ? "" : line[0];
      if (std::ranges::any_of(line, [](std::string_view w) { return w.starts_with("__has_include"); }))
        break;
      if (word == "if" || word == "ifdef" || word == "ifndef")
        ++conditions;
      else if (word == "endif")
        --conditions;
      else if (word != "else" && word != "elif" &&
               !isAllowed(
                   line, text.substr(token.offset, tokens[last].offset + tokens[last].length - token.offset)))
        break;
      i = last;
      continue;
    }
    if (brackets == 0 && asksForCode(tokens, i))
      break;
    if (token.is("{") || token.is("(") || token.is("["))
      ++brackets;
    else if (token.is("}") || token.is(")") || token.is("]"))
      --brackets;
    if ((token.is(";") || token.is("}")) && brackets == 0 && conditions == 0)
      if (const uint32_t end = lineAfter(text, token.offset + token.length))
        ends.push_back(end);
  }
  return ends;
}

} // namespace assay::frontend
