#include "support/text/metal_options.h"

#include "support/text/write_rounding.h"

#include <fmt/format.h>

#include <charconv>

namespace assay {

namespace {

enum class Takes {
  Joined,       ///< a value that follows at once: -std=metal3.1
  Next,         ///< the next word: -include FILE
  JoinedOrNext, ///< -DNAME and -D NAME
  Nothing,      ///< the whole word, which stands for `implied`
  Prefix        ///< whatever follows belongs to the option and is not read: -O3, -Wall
};

struct Known {
  std::string_view spelling;
  Takes takes;
  MetalOption option;
  std::string_view implied = {};
};

constexpr Known kKnown[] = {
    {"-std=", Takes::Joined, MetalOption::Language},
    {"-mmacosx-version-min=", Takes::Joined, MetalOption::OldestMac},
    {"-mmacos-version-min=", Takes::Joined, MetalOption::OldestMac},
    {"-fmetal-math-mode=", Takes::Joined, MetalOption::MathMode},
    {"-ffast-math", Takes::Nothing, MetalOption::MathMode, "fast"},
    {"-fno-fast-math", Takes::Nothing, MetalOption::MathMode, "safe"},
    {kTextureWriteRounding, Takes::Joined, MetalOption::WriteRounding},
    {"-include", Takes::Next, MetalOption::FirstHeader},
    {"-I", Takes::JoinedOrNext, MetalOption::Folder},
    {"-isystem", Takes::JoinedOrNext, MetalOption::Folder},
    {"-iquote", Takes::JoinedOrNext, MetalOption::Folder},
    {"-D", Takes::JoinedOrNext, MetalOption::Define},
    {"-U", Takes::JoinedOrNext, MetalOption::Undefine},
    {"-x", Takes::Next, MetalOption::SourceLanguage},
    {"-target", Takes::Next, MetalOption::System},
    {"-arch", Takes::Next, MetalOption::System},
    {"-Werror", Takes::Nothing, MetalOption::WarningsAreErrors},
    {"-O", Takes::Prefix, MetalOption::WithoutEffect},
    {"-W", Takes::Prefix, MetalOption::WithoutEffect},
    {"-g", Takes::Prefix, MetalOption::WithoutEffect},
    {"-mios-version-min=", Takes::Prefix, MetalOption::WithoutEffect},
    {"-miphoneos-version-min=", Takes::Prefix, MetalOption::WithoutEffect},
    {"-mtargetos=", Takes::Prefix, MetalOption::WithoutEffect},
    {"-fdiagnostics-", Takes::Prefix, MetalOption::WithoutEffect},
    {"-fcolor-diagnostics", Takes::Prefix, MetalOption::WithoutEffect},
    {"-frecord-sources", Takes::Prefix, MetalOption::WithoutEffect},
    {"-finline", Takes::Prefix, MetalOption::WithoutEffect},
    {"-fno-inline", Takes::Prefix, MetalOption::WithoutEffect},
    {"-fpreserve-invariance", Takes::Prefix, MetalOption::WithoutEffect},
    {"-fmetal-enable-logging", Takes::Prefix, MetalOption::WithoutEffect},
    {"-pipe", Takes::Prefix, MetalOption::WithoutEffect},
};

// source: MLX 0.32.2, CMakeLists.txt, which asks the compiler so for the version.
constexpr unsigned kFirstMacWithMetal4 = 26;

std::optional<MetalOptionUse> useOf(const Known &known, std::string_view word) {
  const bool isWhole = word == known.spelling;
  if (!word.starts_with(known.spelling) ||
      (!isWhole && (known.takes == Takes::Next || known.takes == Takes::Nothing)))
    return std::nullopt;
  MetalOptionUse use{known.option, std::nullopt};
  if (known.takes == Takes::Nothing && !known.implied.empty())
    use.value = known.implied;
  else if (known.takes == Takes::Joined || (known.takes == Takes::JoinedOrNext && !isWhole))
    use.value = word.substr(known.spelling.size());
  return use;
}

} // namespace

std::optional<MetalOptionUse> findMetalOption(std::string_view word) {
  for (const Known &known : kKnown)
    if (const auto use = useOf(known, word))
      return use;
  return std::nullopt;
}

Result<LanguageVersion> defaultLanguageOfMac(std::string_view version) {
  unsigned major = 0;
  if (std::from_chars(version.data(), version.data() + version.size(), major).ec != std::errc())
    return Error::usage("bad-option", fmt::format("'{}' is not a version of macOS", version));
  return major >= kFirstMacWithMetal4 ? LanguageVersion::Metal4_0 : LanguageVersion::Any;
}

} // namespace assay
