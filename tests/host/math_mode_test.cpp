#include "host/math_mode.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(MathModes, AreReadBackAsTheyAreCalled) {
  for (const MathMode mode : {MathMode::Fast, MathMode::Relaxed, MathMode::Safe})
    EXPECT_EQ(*parseMathMode(nameOf(mode), "--math-mode "), mode);
}

TEST(MathModes, OtherNamesAreRefused) {
  for (const char *text : {"", "Fast", "precise", "fast "}) {
    const Result<MathMode> mode = parseMathMode(text, "-fmetal-math-mode=");
    ASSERT_FALSE(mode) << text;
    EXPECT_EQ(mode.error().message(), "-fmetal-math-mode=" + std::string(text) + ": no such mode");
  }
}

} // namespace
} // namespace assay
