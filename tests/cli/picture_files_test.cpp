// Which files the name of a texture's pictures stands for.
#include "../host/temporary_folder.h"
#include "cli/picture_files.h"

#include <gmock/gmock.h>

namespace assay::cli {
namespace {

using testing::ElementsAre;

TEST(PictureFiles, AreDividedAfterTheirEnding) {
  EXPECT_THAT(dividePictures("a.png"), ElementsAre("a.png"));
  EXPECT_THAT(dividePictures("a.png,b.png"), ElementsAre("a.png", "b.png"));
  EXPECT_THAT(dividePictures("a,1.png,b.png"), ElementsAre("a,1.png", "b.png"));
  EXPECT_THAT(dividePictures("a.png,b"), ElementsAre("a.png", "b"));
  EXPECT_THAT(dividePictures("a.png,"), ElementsAre("a.png", ""));
}

TEST(PictureFiles, AreNumberedWithAtLeastAsManyDigits) {
  EXPECT_TRUE(isNumbered("s#.png"));
  EXPECT_FALSE(isNumbered("s.png"));
  EXPECT_EQ(numberedFile("s-#.png", 12), "s-12.png");
  EXPECT_EQ(numberedFile("s-###.png", 7), "s-007.png");
  EXPECT_EQ(numberedFile("##", 5), "05");
  EXPECT_EQ(numberedFile("#1/s#.png", 5), "#1/s5.png");
}

TEST(PictureFiles, ThatAreReadEndAtTheFirstThatIsMissing) {
  const testing_support::TemporaryFolder folder;
  const std::string at = folder.path().string() + "/";
  for (const char *name : {"s0.png", "s1.png", "s3.png", "t#.png", "t0.png"})
    folder.write(name, "");
  EXPECT_THAT(picturesToRead(at + "s#.png"), ElementsAre(at + "s0.png", at + "s1.png"));
  EXPECT_THAT(picturesToRead(at + "x#.png"), ElementsAre(at + "x0.png"));
  EXPECT_THAT(picturesToRead(at + "t#.png"), ElementsAre(at + "t#.png"));
}

TEST(PictureFiles, ThatAreWrittenAreAsManyAsThePictures) {
  EXPECT_THAT(*picturesToWrite("a#.png", 2), ElementsAre("a0.png", "a1.png"));
  EXPECT_THAT(*picturesToWrite("a#.png", 1), ElementsAre("a#.png"));
  EXPECT_THAT(*picturesToWrite("a.png,b.png", 2), ElementsAre("a.png", "b.png"));
  const Result<std::vector<std::string>> few = picturesToWrite("a.png", 6);
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().rule(), "bad-option");
  EXPECT_EQ(few.error().message(), "1 PNG file is named for 6 pictures");
}

} // namespace
} // namespace assay::cli
