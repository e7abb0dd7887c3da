#include "probes.h"

#include "frontend/compile.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace assay::apple_headers {

namespace {

constexpr const char *kLibrary = "#include <metal_stdlib>\n";
constexpr const char *kEnd = "kernel void k(device int *o) { o[0] = 1; }\n";
// How many probes are in one program: of those that must be accepted many; of the others as many as a
// compilation reports errors.
constexpr size_t kAccepted = 500, kRefused = 20;

/// What the front end says of the probes in one program, by their numbers: the first error of each.
std::map<size_t, std::string> refused(const std::vector<Probe> &probes, const std::vector<size_t> &numbers,
                                      LanguageVersion version) {
  std::map<size_t, std::string> messages;
  while (messages.size() < numbers.size()) {
    frontend::SourceRequest request;
    request.path = "probes.metal";
    request.language = version;
    request.text = kLibrary + beginningOfPrograms();
    const size_t firstLine = std::ranges::count(*request.text, '\n') + 1;
    for (const size_t number : numbers)
      *request.text += (messages.contains(number) ? "" : programLine(probes[number], number)) + "\n";
    *request.text += kEnd;
    const Result<frontend::CompiledModule> module = frontend::compile(request);
    if (module)
      break;
    const size_t before = messages.size();
    for (const Diagnostic &diagnostic : module.error().diagnostics) {
      const size_t line = diagnostic.where.line - firstLine; // of an earlier line: a very large one
      if (diagnostic.severity == Severity::Error && diagnostic.where.file == request.path &&
          line < numbers.size())
        messages.emplace(numbers[line], diagnostic.message);
    }
    if (messages.size() == before)
      throw std::runtime_error("an error that is in no probe:\n" +
                               renderDiagnostics(module.error().diagnostics));
  }
  return messages;
}

} // namespace

std::string beginningOfPrograms() {
  return "using namespace metal;\n"
         "template <typename A, typename B> struct Same { static constexpr constant bool value = false; };\n"
         "template <typename A> struct Same<A, A> { static constexpr constant bool value = true; };\n";
}

std::string programLine(const Probe &probe, size_t number) {
  std::string text = "static void p" + std::to_string(number) + "(";
  for (size_t i = 0; i < probe.parameters.size(); ++i)
    text += (i ? ", " : "") + probe.parameters[i] + " a" + std::to_string(i);
  text += ") { " + (probe.statements.empty() ? "(void)(" + probe.call + ");" : probe.statements);
  if (probe.accepted && !probe.result.empty())
    text +=
        " static_assert(Same<decltype(" + probe.call + "), " + probe.result + ">::value, \"another type\");";
  return text + " }";
}

Probe callOf(std::string what, const std::vector<Argument> &arguments, const std::string &callee,
             std::string result, bool accepted, size_t first) {
  std::vector<std::string> parameters;
  std::string call = callee + "(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    parameters.push_back(arguments[i].type);
    if (i >= first)
      call += (i > first ? ", " : "") +
              (arguments[i].isConstant ? arguments[i].type + "(0)" : "a" + std::to_string(i));
  }
  return {std::move(what), std::move(parameters), call + ")", std::move(result), accepted};
}

std::vector<std::string> differences(const std::vector<Probe> &probes, LanguageVersion version) {
  std::map<size_t, std::string> messages;
  for (const bool accepted : {true, false}) {
    std::vector<size_t> together;
    const auto ask = [&] {
      messages.merge(refused(probes, together, version));
      together.clear();
    };
    for (size_t i = 0; i < probes.size(); ++i) {
      if (probes[i].accepted == accepted)
        together.push_back(i);
      if (together.size() == (accepted ? kAccepted : kRefused))
        ask();
    }
    ask();
  }
  std::vector<std::string> found;
  for (size_t i = 0; i < probes.size(); ++i) {
    const auto message = messages.find(i);
    if (probes[i].accepted && message != messages.end())
      found.push_back(probes[i].what + ": " + message->second);
    else if (!probes[i].accepted && message == messages.end())
      found.push_back(probes[i].what + ": is accepted");
  }
  return found;
}

std::string differencesText(const std::vector<Probe> &probes, LanguageVersion version) {
  constexpr size_t kMost = 100;
  const std::vector<std::string> all = differences(probes, version);
  std::string text;
  for (size_t i = 0; i < all.size() && i < kMost; ++i)
    text += all[i] + "\n";
  if (all.size() > kMost)
    text += "and " + std::to_string(all.size() - kMost) + " more of " + std::to_string(probes.size()) +
            " probes\n";
  return text;
}

} // namespace assay::apple_headers
