// From library files and .metal sources to libraries.
#include "library_file.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <set>

namespace assay::metal {

namespace {

CompileOptions optionsOf(const StoredSource &source, const CodeOptions &pipelines) {
  CompileOptions options;
  options.forPipelines(pipelines);
  options.name = source.name;
  options.preprocessorMacros = source.macros;
  options.languageVersion = source.languageVersion;
  options.mathMode = source.mathMode;
  options.textIsFile = true;
  return options;
}

// Whether a source uses what another has, or both have what a library may have once.
bool areLinked(const std::vector<Library> &libraries) {
  std::set<std::string> names, symbols;
  bool takesTables = false, hasVisible = false;
  for (const Library &library : libraries) {
    const ModuleInfo &module = library.reflection();
    if (!module.needs.empty())
      return true;
    for (const KernelInfo &kernel : module.kernels) {
      takesTables |= kernel.takesFunctionTables();
      if (!names.insert(kernel.name).second)
        return true;
    }
    for (const OtherFunctionInfo &other : module.otherFunctions) {
      hasVisible |= !other.symbol.empty();
      if (!names.insert(other.name).second)
        return true;
    }
    for (const std::string &symbol : module.gives)
      if (!symbols.insert(symbol).second)
        return true;
  }
  return takesTables && hasVisible;
}

} // namespace

Result<Library> compileSource(const Device &device, const StoredSource &source,
                              const CodeOptions &pipelines) {
  return device.newLibraryWithSource(source.text, optionsOf(source, pipelines));
}

Result<std::vector<Library>> compileSources(const Device &device, const std::vector<StoredSource> &sources,
                                            const CodeOptions &pipelines) {
  std::vector<Library> libraries;
  for (const StoredSource &source : sources) {
    Result<Library> library = compileSource(device, source, pipelines);
    if (!library)
      return library.error();
    libraries.push_back(*library);
  }
  if (libraries.size() < 2 || !areLinked(libraries))
    return libraries;
  std::vector<LibrarySource> all;
  for (const StoredSource &source : sources)
    all.push_back({.text = source.text, .options = optionsOf(source, pipelines)});
  const Result<Library> linked = device.newLibraryWithSources(all);
  if (!linked)
    return linked.error();
  return std::vector<Library>{*linked};
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
  const Result<std::vector<StoredSource>> sources = readLibrary(text, name);
  if (!sources)
    return sources.error();
  return compileSources(device, *sources, pipelines);
}

} // namespace assay::metal
