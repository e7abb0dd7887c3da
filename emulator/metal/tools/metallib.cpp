// metallib: the sources of several .air in one file.
#include "classes/library_file.h"
#include "commands.h"
#include "files.h"

#include <fmt/format.h>

namespace assay::metal {

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
  std::vector<LibrarySource> all;
  for (const std::string &input : inputs) {
    const Result<std::string> text = readAll(input);
    if (!text)
      return complain("metallib", text.error());
    Result<std::vector<LibrarySource>> sources = readLibrary(*text, input == "-" ? "standard input" : input);
    if (!sources)
      return complain("metallib", sources.error());
    std::move(sources->begin(), sources->end(), std::back_inserter(all));
  }
  const Result<void> done = writeAll(output, writeLibrary(all));
  return done ? 0 : complain("metallib", done.error());
}

} // namespace assay::metal
