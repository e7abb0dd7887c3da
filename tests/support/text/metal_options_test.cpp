#include "support/text/metal_options.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(MetalOptions, ThoseOfCodeAndWarningsHaveNoEffect) {
  for (const char *option :
       {"-O3", "-Os", "-Wall", "-Wno-unused-variable", "-gline-tables-only", "-frecord-sources",
        "-fno-inline", "-miphoneos-version-min=15.0", "-fmetal-enable-logging"})
    EXPECT_TRUE(isWithoutEffect(option)) << option;
  for (const char *option :
       {"-Werror", "-std=metal3.1", "-fno-fast-math", "-DX", "-I.", "--out", "-", "-fcikernel"})
    EXPECT_FALSE(isWithoutEffect(option)) << option;
}

TEST(MetalOptions, TheOldestMacDecidesTheLanguage) {
  EXPECT_EQ(*defaultLanguageOfMac("26.0"), LanguageVersion::Metal4_0);
  EXPECT_EQ(*defaultLanguageOfMac("15.4"), LanguageVersion::Any);
  ASSERT_FALSE(defaultLanguageOfMac("sequoia"));
  EXPECT_EQ(defaultLanguageOfMac("sequoia").error().message(), "'sequoia' is not a version of macOS");
}

} // namespace
} // namespace assay
