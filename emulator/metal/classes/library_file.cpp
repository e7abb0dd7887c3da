#include "library_file.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace assay::metal {
namespace {

using Json = nlohmann::json;

Error bad(const std::string &name, std::string why, std::string hint = {}) {
  return Error::usage("bad-metallib", fmt::format("'{}' is no library that can be loaded: {}", name, why),
                      std::move(hint));
}

LanguageVersion versionOf(std::string_view name) {
  for (const LanguageVersionInfo &info : kLanguageVersions)
    if (info.name == name)
      return info.version;
  return LanguageVersion::Any;
}

Result<Library> compile(const Device &device, const Json &source) {
  CompileOptions options;
  options.name = source.at("name").get<std::string>();
  for (const Json &macro : source.at("macros"))
    options.preprocessorMacros.emplace_back(macro.at(0).get<std::string>(), macro.at(1).get<std::string>());
  options.languageVersion = versionOf(source.at("std").get<std::string>());
  options.mathMode = source.at("fast_math").get<bool>() ? MathMode::Fast : MathMode::Safe;
  return device.newLibraryWithSource(source.at("text").get<std::string>(), options);
}

} // namespace

Result<std::vector<Library>> loadLibraryFile(const Device &device, const std::string &path) {
  if (path.ends_with(".metal")) {
    Result<Library> library = device.newLibraryWithFile(path);
    if (!library)
      return library.error();
    return std::vector<Library>{*library};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Error::usage("bad-file", fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return loadLibraryText(device, text, path);
}

Result<std::vector<Library>> loadLibraryText(const Device &device, std::string_view text, const std::string &name) {
  if (text.starts_with("MTLB"))
    return bad(name, "it was made by Apple's compiler, for Apple's GPUs",
               "build it again with Assay's xcrun in front of PATH, or load the .metal source");
  try {
    const Json root = Json::parse(text);
    if (root.at("assay_metallib").get<int>() != 1)
      return bad(name, "it was written by another version of Assay");
    std::vector<Library> libraries;
    for (const Json &source : root.at("sources")) {
      Result<Library> library = compile(device, source);
      if (!library)
        return library.error();
      libraries.push_back(*library);
    }
    return libraries;
  } catch (const Json::exception &error) {
    return bad(name, error.what());
  }
}

} // namespace assay::metal
