#include "support/text/metal_options.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace assay {
namespace {

// "Folder ." if the value follows at once, "Folder ..." if the next word is the value.
std::string useOf(std::string_view word) {
  constexpr const char *kNames[] = {
      "Language", "OldestMac", "MathMode",       "WriteRounding", "FirstHeader",       "Folder",
      "Define",   "Undefine",  "SourceLanguage", "System",        "WarningsAreErrors", "WithoutEffect"};
  const auto use = findMetalOption(word);
  if (!use)
    return "none";
  const std::string name = kNames[int(use->option)];
  return use->option >= MetalOption::WarningsAreErrors ? name
                                                       : name + " " + std::string(use->value.value_or("..."));
}

TEST(MetalOptions, AreKnownWithTheirValues) {
  const std::pair<const char *, const char *> kUses[] = {
      {"-std=metal3.1", "Language metal3.1"},
      {"-std=", "Language "},
      {"-mmacosx-version-min=26.0", "OldestMac 26.0"},
      {"-mmacos-version-min=14", "OldestMac 14"},
      {"-fmetal-math-mode=relaxed", "MathMode relaxed"},
      {"-ffast-math", "MathMode fast"},
      {"-fno-fast-math", "MathMode safe"},
      {"-ftexture-write-rounding-mode=rte", "WriteRounding rte"},
      {"-include", "FirstHeader ..."},
      {"-I", "Folder ..."},
      {"-I.", "Folder ."},
      {"-isystem", "Folder ..."},
      {"-isystem/usr", "Folder /usr"},
      {"-iquote.", "Folder ."},
      {"-D", "Define ..."},
      {"-DX=1", "Define X=1"},
      {"-UX", "Undefine X"},
      {"-x", "SourceLanguage ..."},
      {"-target", "System ..."},
      {"-arch", "System ..."},
      {"-Werror", "WarningsAreErrors"},
      {"-Werror=unused", "WithoutEffect"},
  };
  for (const auto &[word, use] : kUses)
    EXPECT_EQ(useOf(word), use) << word;
}

TEST(MetalOptions, ThoseOfCodeAndWarningsHaveNoEffect) {
  for (const char *option :
       {"-O3", "-Os", "-Wall", "-Wno-unused-variable", "-gline-tables-only", "-frecord-sources",
        "-fno-inline", "-miphoneos-version-min=15.0", "-fmetal-enable-logging"})
    EXPECT_EQ(useOf(option), "WithoutEffect") << option;
}

TEST(MetalOptions, OtherWordsAreNone) {
  for (const char *word :
       {"-ffast-mathematics", "-includes", "-xmetal", "--out", "-", "-fcikernel", "k.metal", ""})
    EXPECT_EQ(useOf(word), "none") << word;
}

TEST(MetalOptions, TheOldestMacDecidesTheLanguage) {
  EXPECT_EQ(*defaultLanguageOfMac("26.0"), LanguageVersion::Metal4_0);
  EXPECT_EQ(*defaultLanguageOfMac("15.4"), LanguageVersion::Any);
  ASSERT_FALSE(defaultLanguageOfMac("sequoia"));
  EXPECT_EQ(defaultLanguageOfMac("sequoia").error().message(), "'sequoia' is not a version of macOS");
}

} // namespace
} // namespace assay
