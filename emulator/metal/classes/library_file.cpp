// The text of a library file. load_library.cpp compiles what is in it.
#include "library_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace assay::metal {
namespace {

using Json = nlohmann::json;

constexpr const char *kBuildAgain =
    "build it again with Assay's xcrun first in PATH, or load the .metal source";

Error bad(const std::string &name, std::string why, std::string hint = {}) {
  return Error::usage("bad-metallib", fmt::format("'{}' cannot be loaded as a library: {}", name, why),
                      std::move(hint));
}

LanguageVersion versionOf(std::string_view name) {
  const LanguageVersionInfo *info = findLanguageVersion(name);
  return info ? info->version : LanguageVersion::Any;
}

} // namespace

std::string writeLibrary(const std::vector<StoredSource> &sources) {
  Json list = Json::array();
  for (const StoredSource &source : sources)
    list.push_back({{"name", source.name},
                    {"text", source.text},
                    {"macros", source.macros},
                    {"std", nameOf(source.languageVersion)},
                    {"fast_math", source.mathMode != MathMode::Safe},
                    {"relaxed_math", source.mathMode == MathMode::Relaxed}});
  // A source may hold any bytes; only those of UTF-8 are JSON's.
  return Json{{"assay_metallib", 1}, {"sources", list}}.dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

Result<std::vector<StoredSource>> readLibrary(std::string_view text, const std::string &name) {
  if (text.starts_with("MTLB") || text.starts_with("BC\xC0\xDE") || text.starts_with("\xDE\xC0\x17\x0B"))
    return bad(name, "it was made by Apple's compiler, for Apple's GPUs", kBuildAgain);
  if (text.empty())
    return bad(name, "it is empty");
  const auto damaged = [&] {
    return bad(name, "Assay's compiler has not written it, or it is damaged", kBuildAgain);
  };
  const Json root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object() || !root.contains("assay_metallib"))
    return damaged();
  try {
    if (root.at("assay_metallib") != 1)
      return bad(name, "it was written by another version of Assay");
    std::vector<StoredSource> sources;
    for (const Json &entry : root.at("sources")) {
      StoredSource source;
      source.name = entry.at("name").get<std::string>();
      source.text = entry.at("text").get<std::string>();
      for (const Json &macro : entry.at("macros"))
        source.macros.emplace_back(macro.at(0).get<std::string>(), macro.at(1).get<std::string>());
      const std::string version = entry.at("std").get<std::string>();
      source.languageVersion = versionOf(version);
      if (!version.empty() && source.languageVersion == LanguageVersion::Any)
        return bad(name, fmt::format("it is in the language '{}', which is not known here", version));
      source.mathMode = !entry.at("fast_math").get<bool>()   ? MathMode::Safe
                        : entry.value("relaxed_math", false) ? MathMode::Relaxed
                                                             : MathMode::Fast;
      sources.push_back(std::move(source));
    }
    return sources;
  } catch (const Json::exception &) {
    return damaged();
  }
}

} // namespace assay::metal
