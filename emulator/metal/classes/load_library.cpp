// From library files and .metal sources to libraries.
#include "library_file.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace assay::metal {

Result<Library> compileSource(const Device &device, const LibrarySource &source,
                              const CodeOptions &pipelines) {
  CompileOptions options;
  options.forPipelines(pipelines);
  options.name = source.name;
  options.preprocessorMacros = source.macros;
  options.languageVersion = source.languageVersion;
  options.mathMode = source.mathMode;
  return device.newLibraryWithSource(source.text, options);
}

Result<std::vector<Library>> loadLibraryFile(const Device &device, const std::string &path,
                                             const CodeOptions &pipelines) {
  if (path.ends_with(".metal")) {
    Result<Library> library = device.newLibraryWithFile(path, CompileOptions().forPipelines(pipelines));
    if (!library)
      return library.error();
    return std::vector<Library>{*library};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Error::usage("bad-file", fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return loadLibraryText(device, text, path, pipelines);
}

Result<std::vector<Library>> loadLibraryText(const Device &device, std::string_view text,
                                             const std::string &name, const CodeOptions &pipelines) {
  Result<std::vector<LibrarySource>> sources = readLibrary(text, name);
  if (!sources)
    return sources.error();
  std::vector<Library> libraries;
  for (const LibrarySource &source : *sources) {
    Result<Library> library = compileSource(device, source, pipelines);
    if (!library)
      return library.error();
    libraries.push_back(*library);
  }
  return libraries;
}

} // namespace assay::metal
