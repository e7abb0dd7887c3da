#include "paste_includes.h"

#include "support/text/header_search.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first);
}

// "# include <x>" is {"include", "<x>"}; empty if the line is no directive.
struct Directive {
  std::string_view name, rest;
};

Directive directiveOf(std::string_view line) {
  std::string_view text = trimmed(line);
  if (!text.starts_with('#'))
    return {};
  text = trimmed(text.substr(1));
  const size_t end = std::min(text.find_first_of(" \t\"<(/"), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

// Whether the text after this line is inside a comment of /* */.
bool commentAfter(std::string_view line, bool inside) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i], next = i + 1 < line.size() ? line[i + 1] : '\0';
    if (inside) {
      if (c == '*' && next == '/')
        inside = false, ++i;
    } else if (quote) {
      if (c == '\\')
        ++i;
      else if (c == quote)
        quote = 0;
    } else if (c == '/' && next == '/') {
      return false;
    } else if (c == '/' && next == '*') {
      inside = true, ++i;
    } else if (c == '"' ||
               (c == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(line[i - 1]))))) {
      quote = c; // a ' between digits separates them
    }
  }
  return inside;
}

// Visits every line, with the state that the lines before it leave.
template <typename Visit> void forEachLine(std::string_view text, Visit visit) {
  bool comment = false, continued = false;
  for (uint32_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    visit(number, line, comment || continued ? Directive{} : directiveOf(line));
    comment = commentAfter(line, comment);
    continued = line.ends_with('\\');
  }
}

// How a file avoids a second inclusion in a text.
struct Guard {
  bool pragmaOnce = false, macro = false;
};

Guard guardOf(std::string_view text) {
  Guard guard;
  std::string_view first; // of #ifndef
  uint32_t directives = 0;
  forEachLine(text, [&](uint32_t, std::string_view, const Directive &d) {
    if (d.name.empty())
      return;
    if (d.name == "pragma" && d.rest.starts_with("once"))
      guard.pragmaOnce = true;
    else if (++directives == 1 && d.name == "ifndef")
      first = d.rest;
    else if (directives == 2 && !first.empty() && d.name == "define")
      guard.macro = d.rest.starts_with(first);
  });
  return guard;
}

class Paster {
public:
  explicit Paster(const std::vector<std::string> &includePaths) : includePaths_(includePaths) {}

  Result<void> paste(const std::string &path, std::string_view text) {
    std::vector<bool> conditions; // the open ones: whether something was pasted inside
    std::optional<Error> error;
    forEachLine(text, [&](uint32_t number, std::string_view line, const Directive &d) {
      if (error)
        return;
      std::optional<std::string> found;
      if (d.name == "include" || d.name == "import")
        found = find(path, d.rest);
      if (found) {
        if (Result<void> done = pasteFile(*found, d.name == "import"); !done)
          error = done.error();
        place(number, path);
        result_.text += d.rest.substr(parseHeaderOperand(d.rest)->end);
        result_.text += '\n';
        conditions.assign(conditions.size(), true);
        return;
      }
      if (d.name == "pragma" && d.rest.starts_with("once")) {
        result_.text += '\n'; // pasteFile adds the guard
        return;
      }
      if (d.name == "if" || d.name == "elif")
        result_.text += withHasInclude(path, line);
      else
        result_.text += line;
      result_.text += '\n';
      if (d.name == "if" || d.name == "ifdef" || d.name == "ifndef")
        conditions.push_back(false);
      // A #line in a branch that is not taken has no effect, but its text is still there.
      const bool ends = d.name == "endif";
      if ((ends || d.name == "else" || d.name == "elif") && !conditions.empty()) {
        if (conditions.back())
          place(number + 1, path);
        if (ends)
          conditions.pop_back();
      }
    });
    if (error)
      return *error;
    return {};
  }

  Result<void> pasteFirst(const std::vector<std::string> &headers, const std::string &path) {
    for (const std::string &header : headers) {
      const auto found = findFirstHeader(header, includePaths_);
      if (!found)
        result_.text += firstInclude(header);
      else if (Result<void> done = pasteFile(found->lexically_normal().string(), false); !done)
        return done;
    }
    if (!headers.empty())
      place(1, path);
    return {};
  }

  PastedSource &result() { return result_; }

private:
  void place(uint32_t line, const std::string &path) {
    std::string name;
    for (const char c : path) {
      if (c == '\\' || c == '"')
        name += '\\';
      name += c;
    }
    result_.text += fmt::format("#line {} \"{}\"\n", line, name);
  }

  /// The file that an operand of #include means, by which it is told from others.
  std::optional<std::string> find(const std::string &from, std::string_view operand) const {
    const auto found = findUserHeader(from, operand, includePaths_);
    return found ? std::optional(found->lexically_normal().string()) : std::nullopt;
  }

  // The header will be in the text, which __has_include could not know.
  std::string withHasInclude(const std::string &from, std::string_view line) const {
    constexpr std::string_view kWord = "__has_include";
    std::string text(line);
    for (size_t at = 0; (at = text.find(kWord, at)) != text.npos;) {
      const std::string_view rest = trimmed(std::string_view(text).substr(at + kWord.size()));
      const std::string_view name = rest.starts_with('(') ? trimmed(rest.substr(1)) : std::string_view();
      const size_t close = find(from, name)
                               ? text.find(')', name.data() - text.data() + parseHeaderOperand(name)->end)
                               : text.npos;
      if (close == text.npos) {
        at += kWord.size();
        continue;
      }
      text.replace(at, close + 1 - at, "1");
    }
    return text;
  }

  Result<void> pasteFile(const std::string &path, bool imported) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
      return Error::usage("bad-file", fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Guard guard = guardOf(text);
    const bool once = guard.pragmaOnce || imported;
    if (open_.count(path)) {
      if (once || guard.macro)
        return {}; // nothing would be left of it
      return Error::usage("include-cycle",
                          fmt::format("'{}' includes itself, and has no guard against that", path),
                          "begin it with #pragma once");
    }
    open_.insert(path);
    const size_t number = numbers_.emplace(path, numbers_.size()).first->second;
    if (number == result_.files.size())
      result_.files.push_back(path);
    if (once)
      result_.text += fmt::format("#ifndef __assay_once_{0}\n#define __assay_once_{0}\n", number);
    place(1, path);
    Result<void> done = paste(path, text);
    if (once)
      result_.text += "#endif\n";
    open_.erase(path);
    return done;
  }

  const std::vector<std::string> &includePaths_;
  PastedSource result_;
  std::set<std::string> open_;
  std::map<std::string, size_t> numbers_;
};

} // namespace

Result<PastedSource> pasteIncludes(const std::string &path, std::string_view text,
                                   const std::vector<std::string> &includePaths,
                                   const std::vector<std::string> &headers) {
  Paster paster(includePaths);
  if (Result<void> done = paster.pasteFirst(headers, path); !done)
    return done.error();
  if (Result<void> done = paster.paste(path, text); !done)
    return done.error();
  return std::move(paster.result());
}

} // namespace assay::metal
