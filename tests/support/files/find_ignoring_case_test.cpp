#include "support/files/find_ignoring_case.h"

#include <gtest/gtest.h>

#include <fstream>
#include <unistd.h>

namespace assay {
namespace {

namespace fs = std::filesystem;

class FindIgnoringCase : public testing::Test {
protected:
  FindIgnoringCase() {
    for (const char *name : {"Shaders/Inner", "lower"})
      fs::create_directories(folder / name);
    for (const char *name : {"Shaders/Inner/Common.h", "Shaders/two.h", "Shaders/TWO.h", "lower/k.metal"})
      std::ofstream(folder / name) << "\n";
  }
  ~FindIgnoringCase() override { fs::remove_all(folder); }

  // Below the folder.
  std::string found(const char *path) const {
    const auto result = findIgnoringCase(folder / path);
    return result ? result->lexically_normal().lexically_relative(folder).string() : "none";
  }

  const fs::path folder = fs::temp_directory_path() / ("assay_case_" + std::to_string(getpid()));
};

TEST_F(FindIgnoringCase, TakesTheExactNameFirst) {
  EXPECT_EQ(found("Shaders/two.h"), "Shaders/two.h");
  EXPECT_EQ(found("Shaders/TWO.h"), "Shaders/TWO.h");
  EXPECT_EQ(found("lower"), "lower");
}

TEST_F(FindIgnoringCase, FindsFilesAndFolders) {
  EXPECT_EQ(found("shaders/INNER/common.H"), "Shaders/Inner/Common.h");
  EXPECT_EQ(found("lower/K.metal"), "lower/k.metal");
  EXPECT_EQ(found("LOWER"), "lower");
  EXPECT_EQ(found("shaders/inner/../two.h"), "Shaders/two.h");
}

TEST_F(FindIgnoringCase, OfSeveralNamesTheFirstIsTaken) {
  EXPECT_EQ(found("Shaders/Two.h"), "Shaders/TWO.h");
}

TEST_F(FindIgnoringCase, OtherNamesAreNotFound) {
  for (const char *path : {"Shaders/Inner/Commons.h", "Shader/two.h", "lower/k.metal/x", "Shaders/two-h"})
    EXPECT_EQ(found(path), "none") << path;
  EXPECT_FALSE(findIgnoringCase(""));
}

TEST_F(FindIgnoringCase, ARelativePathStaysRelative) {
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  EXPECT_EQ(findIgnoringCase("SHADERS"), fs::path("Shaders"));
  EXPECT_EQ(findIgnoringCase("shaders/TWO.h"), fs::path("Shaders/TWO.h"));
  fs::current_path(before);
}

TEST(SameIgnoringCase, FoldsLettersOfAscii) {
  EXPECT_TRUE(sameIgnoringCase("Metal_StdLib", "metal_stdlib"));
  EXPECT_FALSE(sameIgnoringCase("a[", "A{")); // [ and { differ by the bit in which letters do
  EXPECT_FALSE(sameIgnoringCase("a", "ab"));
}

} // namespace
} // namespace assay
