#include "support/text/header_search.h"

#include <gtest/gtest.h>

#include <fstream>
#include <unistd.h>

namespace assay {
namespace {

namespace fs = std::filesystem;

TEST(HeaderOperand, IsInQuotesOrInAngleBrackets) {
  const auto quoted = parseHeaderOperand("\"a b.h\" // <c.h>");
  ASSERT_TRUE(quoted);
  EXPECT_EQ(quoted->name, "a b.h");
  EXPECT_TRUE(quoted->quoted);
  EXPECT_EQ(quoted->end, 7u);
  const auto bracketed = parseHeaderOperand("<d/\"e.h>");
  ASSERT_TRUE(bracketed);
  EXPECT_EQ(bracketed->name, "d/\"e.h");
  EXPECT_FALSE(bracketed->quoted);
  EXPECT_EQ(bracketed->end, 8u);
}

TEST(HeaderOperand, IsClosedAndAtTheBeginning) {
  for (const std::string_view text : {"", "\"", "<", "\"a.h", "<a.h\"", "a.h", " <a.h>", "MACRO"})
    EXPECT_FALSE(parseHeaderOperand(text)) << text;
  EXPECT_FALSE(parseHeaderOperand(std::string_view("<a.h\0x>", 7)));
}

class HeaderSearch : public testing::Test {
protected:
  HeaderSearch() {
    for (const char *name : {"here", "first", "second"})
      fs::create_directories(folder / name);
    for (const char *name : {"here/own.h", "here/both.h", "first/both.h", "second/both.h", "second/far.h"})
      std::ofstream(folder / name) << "\n";
  }
  ~HeaderSearch() override { fs::remove_all(folder); }

  // The path of the file that is found, below the folder.
  std::string found(std::string_view operand) const {
    const auto path = findUserHeader(folder / "here/k.metal", operand,
                                     {(folder / "first").string(), (folder / "second").string()});
    return path ? path->lexically_relative(folder).string() : "none";
  }

  const fs::path folder = fs::temp_directory_path() / ("assay_headers_" + std::to_string(getpid()));
};

TEST_F(HeaderSearch, LooksForQuotedNamesBesideTheFileFirst) {
  EXPECT_EQ(found("\"own.h\""), "here/own.h");
  EXPECT_EQ(found("\"both.h\""), "here/both.h");
  EXPECT_EQ(found("\"far.h\""), "second/far.h");
  EXPECT_EQ(found("\"absent.h\""), "none");
}

TEST_F(HeaderSearch, LooksForOtherNamesInTheFoldersAlone) {
  EXPECT_EQ(found("<own.h>"), "none");
  EXPECT_EQ(found("<both.h>"), "first/both.h");
  EXPECT_EQ(found("<far.h>"), "second/far.h");
  EXPECT_EQ(found("<.>"), "none"); // a folder is no header
}

TEST_F(HeaderSearch, AFirstHeaderIsNotBesideTheSource) {
  EXPECT_FALSE(findFirstHeader("own.h", {}));
  const auto far = findFirstHeader("far.h", {(folder / "second").string()});
  ASSERT_TRUE(far);
  EXPECT_EQ(*far, folder / "second/far.h");
  const auto whole = findFirstHeader((folder / "here/own.h").string(), {});
  ASSERT_TRUE(whole);
  EXPECT_EQ(firstInclude("own.h"), "#include \"own.h\"\n");
}

} // namespace
} // namespace assay
