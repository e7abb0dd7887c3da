// Reads the files of newLibraryWithURL: a .metal source, or a .metallib that Assay's `xcrun` tools have
// written.
//
// Such a .metallib is JSON: {"assay_metallib": 1, "sources": [{"name", "text", "macros": [[name, value]...],
// "std", "fast_math", "relaxed_math"}]}, with one entry for each .air that it was made from, whose quoted
// #includes have been inserted into the text. It is compiled and linked when it is loaded, and cached like
// every source. The tools also compile and link it when they write it, to report errors.
#pragma once

#include "host/assay.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::metal {

/// The source and the options of one .air.
struct StoredSource {
  std::string name; ///< what messages call it
  std::string text;
  std::vector<std::pair<std::string, std::string>> macros;
  LanguageVersion languageVersion = LanguageVersion::Any;
  MathMode mathMode = MathMode::Fast;
};

std::string writeLibrary(const std::vector<StoredSource> &sources);
/// name     of the file that the text is from
/// errors   Usage "bad-metallib" (it is one of Apple's, or no .metallib at all)
Result<std::vector<StoredSource>> readLibrary(std::string_view text, const std::string &name);
/// pipelines   those that will be made from the library: CompileOptions::forPipelines
/// errors      those of Device::newLibraryWithSource
Result<Library> compileSource(const Device &device, const StoredSource &source,
                              const CodeOptions &pipelines = {});

/// Compiles the sources. If a source needs another one, all are linked as one library. Otherwise each source
/// becomes a library of its own, so that a .metallib of a hundred independent files is not read as a whole
/// for each of its kernels.
///   errors   those of Device::newLibraryWithSources
Result<std::vector<Library>> compileSources(const Device &device, const std::vector<StoredSource> &sources,
                                            const CodeOptions &pipelines = {});

/// errors   Usage "bad-file" (cannot be read); those of the calls above
Result<std::vector<Library>> loadLibraryFile(const Device &device, const std::string &path,
                                             const CodeOptions &pipelines = {});
Result<std::vector<Library>> loadLibraryText(const Device &device, std::string_view text,
                                             const std::string &name, const CodeOptions &pipelines = {});

} // namespace assay::metal
