// See junit.h.
#include "junit.h"

#include <fmt/format.h>

namespace assay::cli {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // U+FFFD

// The character at the begin of a text, and how many bytes it has; no value if no character begins there.
struct Character {
  std::optional<uint32_t> value;
  size_t bytes = 1;
};

Character firstCharacter(std::string_view text) {
  const auto byte = [&](size_t i) { return uint8_t(text[i]); };
  const uint32_t head = byte(0);
  if (head < 0x80)
    return {head, 1};
  const size_t bytes = head >= 0xF0 && head < 0xF8 ? 4 : head >= 0xE0 ? 3 : 2;
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000}; // a longer form than needed is no UTF-8
  if (head < 0xC0 || head >= 0xF8 || text.size() < bytes)
    return {};
  uint32_t value = head & (0xFFu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80)
      return {};
    value = value << 6 | (byte(i) & 0x3F);
  }
  if (value < kLeast[bytes])
    return {};
  return {value, bytes};
}

// XML 1.0, section 2.2.
bool isXml(uint32_t character) {
  return character == '\t' || character == '\n' || character == '\r' ||
         (character >= 0x20 && character < 0xD800) || (character >= 0xE000 && character < 0xFFFE) ||
         (character >= 0x10000 && character < 0x110000);
}

std::string joined(const std::vector<Diagnostic> &diagnostics) {
  return renderDiagnostics(diagnostics);
}

// Warnings among the diagnostics of an error are findings before it, each with the notes after it.
struct Parts {
  std::vector<Finding> findings;
  std::vector<Diagnostic> rest;
};

Parts partsOf(const Error &error) {
  Parts parts;
  bool inFinding = false;
  for (const Diagnostic &diagnostic : error.diagnostics) {
    if (diagnostic.severity != Severity::Note) {
      inFinding = diagnostic.severity == Severity::Warning;
      if (inFinding)
        parts.findings.push_back({diagnostic, {}, 1});
    }
    if (!inFinding)
      parts.rest.push_back(diagnostic);
    else if (diagnostic.severity == Severity::Note)
      parts.findings.back().notes.push_back(diagnostic);
  }
  return parts;
}

std::string element(std::string_view kind, std::string_view message, std::string_view type,
                    std::string_view text) {
  return fmt::format(R"(<{0} message="{1}" type="{2}">{3}</{0}>)", kind, xmlText(message), xmlText(type),
                     xmlText(text));
}

} // namespace

std::string xmlText(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character next = firstCharacter(text);
    if (!next.value || !isXml(*next.value))
      result += kReplacement;
    else if (*next.value == '&')
      result += "&amp;";
    else if (*next.value == '<')
      result += "&lt;";
    else if (*next.value == '>')
      result += "&gt;";
    else if (*next.value == '"')
      result += "&quot;";
    else if (*next.value < 0x20) // in an attribute a reader makes spaces of the characters themselves
      result += fmt::format("&#{};", *next.value);
    else
      result += text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
  }
  return result;
}

std::string junitOf(const JUnitSuite &suite) {
  std::vector<Finding> findings = suite.findings;
  std::string body, classname = xmlText(suite.file + "." + suite.kernel);
  size_t tests = 0, failures = 0;
  const std::string time = suite.seconds ? fmt::format(R"( time="{:.3f}")", *suite.seconds) : "";
  const auto addCase = [&](std::string_view name, std::string_view inside, std::string_view attributes = "") {
    ++tests;
    body += fmt::format(R"(    <testcase classname="{}" name="{}"{})", classname, xmlText(name), attributes);
    body += inside.empty() ? "/>\n" : fmt::format(">\n      {}\n    </testcase>\n", inside);
  };

  if (suite.error) {
    Parts parts = partsOf(*suite.error);
    std::move(parts.findings.begin(), parts.findings.end(), std::back_inserter(findings));
    const Diagnostic &first = parts.rest.empty() ? suite.error->diagnostics.front() : parts.rest.front();
    addCase("dispatch", element("error", first.message, first.rule, joined(parts.rest)), time);
  } else {
    addCase("dispatch", "", time);
  }
  for (const CheckRuleInfo &rule : kCheckRules) {
    if (!suite.rules.has(rule.rule))
      continue;
    std::vector<Diagnostic> found;
    uint64_t instances = 0;
    for (const Finding &finding : findings)
      if (finding.warning.rule == rule.name) {
        const std::vector<Diagnostic> all = diagnosticsOf(finding);
        found.insert(found.end(), all.begin(), all.end());
        instances += finding.count;
      }
    failures += !found.empty();
    addCase(rule.name, found.empty() ? ""
                                     : element("failure",
                                               fmt::format("{} ({} instance{})", rule.words, instances,
                                                           instances == 1 ? "" : "s"),
                                               rule.name, joined(found)));
  }
  for (const JUnitSuite::Case &other : suite.others) {
    failures += !other.failure.empty();
    addCase(other.name,
            other.failure.empty() ? "" : element("failure", other.failure, other.name, other.failure));
  }
  const std::string counts =
      fmt::format(R"( tests="{}" failures="{}" errors="{}"{})", tests, failures, suite.error ? 1 : 0, time);
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<testsuites name=\"assay\"{0}>\n"
                     "  <testsuite name=\"{1}\"{0} skipped=\"0\">\n{2}  </testsuite>\n</testsuites>\n",
                     counts, xmlText(suite.kernel + " (" + suite.file + ")"), body);
}

} // namespace assay::cli
