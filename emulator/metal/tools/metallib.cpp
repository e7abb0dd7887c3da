// metallib, and metal-ar before it: the sources of several .air in one file. An archive is a library here.
#include "classes/library_file.h"
#include "commands.h"
#include "files.h"

#include <fmt/format.h>

namespace assay::metal {

namespace {

Result<std::vector<StoredSource>> readSources(const std::vector<std::string> &inputs) {
  std::vector<StoredSource> all;
  for (const std::string &input : inputs) {
    const Result<std::string> text = readAll(input);
    if (!text)
      return text.error();
    Result<std::vector<StoredSource>> sources = readLibrary(*text, input == "-" ? "standard input" : input);
    if (!sources)
      return sources.error();
    std::move(sources->begin(), sources->end(), std::back_inserter(all));
  }
  return all;
}

// For its errors: what is written are the sources.
Result<void> tryToLink(const std::vector<StoredSource> &sources) {
  const auto libraries = compileSources(Device::systemDefault(), sources);
  return libraries ? Result<void>() : Result<void>(libraries.error());
}

int join(const char *tool, const std::vector<std::string> &inputs, const std::string &output, bool links) {
  const Result<std::vector<StoredSource>> all = readSources(inputs);
  if (all && links)
    if (const Result<void> linked = tryToLink(*all); !linked)
      return complain(tool, linked.error());
  const Result<void> done = all ? writeAll(output, writeLibrary(*all)) : Result<void>(all.error());
  return done ? 0 : complain(tool, done.error());
}

} // namespace

int metalArCommand(const std::vector<std::string> &arguments) {
  // The keys are ar's: only adding members has a meaning for what comes next, which is metallib.
  const std::string keys = arguments.empty() ? "" : arguments[0];
  if (arguments.size() < 3 || keys.find_first_not_of("-rcsuqvS") != std::string::npos ||
      keys.find_first_of("rq") == std::string::npos)
    return complain("metal-ar", Error::usage("bad-option", fmt::format("'{}' is not understood", keys),
                                             "metal-ar r ARCHIVE FILE.air..."));
  return join("metal-ar", {arguments.begin() + 2, arguments.end()}, arguments[1], false);
}

int metallibCommand(const std::vector<std::string> &arguments) {
  std::vector<std::string> inputs;
  std::string output = "default.metallib";
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &a = arguments[i];
    if (a == "-o" && i + 1 < arguments.size())
      output = arguments[++i];
    else if (a == "-" || !a.starts_with('-'))
      inputs.push_back(a);
    else
      return complain("metallib",
                      Error::usage("bad-option", fmt::format("'{}' is not understood", a),
                                   "metallib FILE.air... -o FILE.metallib, where - is standard input"));
  }
  if (inputs.empty())
    return complain("metallib", Error::usage("bad-option", "no .air to put into a library"));
  return join("metallib", inputs, output, true);
}

} // namespace assay::metal
