#include "checkout.h"

#include "clang_run.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

namespace assay::apple_headers {

namespace {

// Version 1.1 has about 1,400, 2.1 about 1,700 and 4.0 about 1,950.
constexpr size_t kLeastFunctions = 1200, kLeastSince2_1 = 1500;

std::string preprocessed(const std::string &folder, LanguageVersion version, const std::string &program) {
  std::string arguments = "-E -P -nostdinc -D__METAL__ -D__METAL_VERSION__=" + std::to_string(int(version)) +
                          " -std=" + std::string(cppStandardOf(version)) + " -I '" + folder + "'";
  if (version < LanguageVersion::Metal3_0)
    arguments += " -D__METAL_MACOS__";
  ClangRun run = runClang(arguments, program);
  if (run.code != 0)
    throw std::runtime_error("ASSAY_APPLE_HEADERS_DIR: " + folder + "/metal_stdlib: " + run.err);
  return std::move(run.out);
}

constexpr std::array kJudged = {
    LanguageVersionInfo{LanguageVersion::Metal1_1, "macos-metal1.1"},
    LanguageVersionInfo{LanguageVersion::Metal1_2, "macos-metal1.2"},
    LanguageVersionInfo{LanguageVersion::Metal2_0, "macos-metal2.0"},
    LanguageVersionInfo{LanguageVersion::Metal2_1, "macos-metal2.1"},
    LanguageVersionInfo{LanguageVersion::Metal2_3, "macos-metal2.3"},
    LanguageVersionInfo{LanguageVersion::Metal2_4, "macos-metal2.4"},
    LanguageVersionInfo{LanguageVersion::Metal3_0, "metal3.0"},
    LanguageVersionInfo{LanguageVersion::Metal3_1, "metal3.1"},
    LanguageVersionInfo{LanguageVersion::Metal3_2, "metal3.2"},
    LanguageVersionInfo{LanguageVersion::Metal4_0, "metal4.0"},
};

} // namespace

std::string checkoutFolder() {
  const char *folder = std::getenv("ASSAY_APPLE_HEADERS_DIR");
  return folder ? folder : "";
}

Declarations readHeaders(const std::string &folder, LanguageVersion version) {
  // Not metal_types, so that METAL_FUNC is no macro and is kept.
  return readDeclarations(
      preprocessed(folder, version, "#include <metal_config>\n#include <metal_stdlib>\n"));
}

Names readHeaderNames(const std::string &folder, LanguageVersion version) {
  return readNames(preprocessedHeaders(folder, version));
}

std::string preprocessedHeaders(const std::string &folder, LanguageVersion version) {
  return preprocessed(folder, version, "#include <metal_types>\n#include <metal_stdlib>\n");
}

void expectPlausible(size_t functions, LanguageVersion version) {
  if (functions < (version < LanguageVersion::Metal2_1 ? kLeastFunctions : kLeastSince2_1))
    throw std::runtime_error("ASSAY_APPLE_HEADERS_DIR: only " + std::to_string(functions) +
                             " functions for version " + std::to_string(int(version)) + " of Metal");
}

const Declarations &declarationsOf(LanguageVersion version) {
  static std::map<LanguageVersion, Declarations> known;
  if (const auto at = known.find(version); at != known.end())
    return at->second;
  Declarations declarations = readHeaders(checkoutFolder(), version);
  const auto isNoTemplate = [](const Function &function) { return function.head.empty(); };
  expectPlausible(std::ranges::count_if(declarations.functions, isNoTemplate), version);
  return known.emplace(version, std::move(declarations)).first->second;
}

std::span<const LanguageVersionInfo> judgedVersions() {
  return kJudged;
}

} // namespace assay::apple_headers
