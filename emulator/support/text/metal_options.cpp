#include "support/text/metal_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace assay {

namespace {

constexpr std::string_view kPrefixes[] = {"-O",
                                          "-W",
                                          "-g",
                                          "-mios-version-min=",
                                          "-miphoneos-version-min=",
                                          "-mtargetos=",
                                          "-fdiagnostics-",
                                          "-fcolor-diagnostics",
                                          "-frecord-sources",
                                          "-finline",
                                          "-fno-inline",
                                          "-fpreserve-invariance",
                                          "-fmetal-enable-logging",
                                          "-pipe"};

// source: MLX 0.32.2, CMakeLists.txt, which asks the compiler so for the version.
constexpr unsigned kFirstMacWithMetal4 = 26;

} // namespace

bool isWithoutEffect(std::string_view option) {
  return option != "-Werror" &&
         std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return option.starts_with(prefix); });
}

Result<LanguageVersion> defaultLanguageOfMac(std::string_view version) {
  unsigned major = 0;
  if (std::from_chars(version.data(), version.data() + version.size(), major).ec != std::errc())
    return Error::usage("bad-option", fmt::format("'{}' is not a version of macOS", version));
  return major >= kFirstMacWithMetal4 ? LanguageVersion::Metal4_0 : LanguageVersion::Any;
}

} // namespace assay
