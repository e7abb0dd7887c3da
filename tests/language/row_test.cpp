// The tables' own form: what a row expects is what its text says, and a table that is at fault is refused.
#include "program.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace assay::language {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusalOf(const std::string &text) {
  const std::string path = testing::TempDir() + "language_row_test_" + std::to_string(getpid()) + ".rows";
  std::ofstream(path) << text;
  std::string what;
  try {
    readTable(path);
  } catch (const std::exception &e) {
    what = e.what();
  }
  std::filesystem::remove(path);
  return what;
}

} // namespace

TEST(LanguageRow, ValuesAreTheBitsThatTheTypeHolds) {
  EXPECT_THAT(readExpectation("float2 1 -0.5").bits, ElementsAre(0x3f800000, 0xbf000000));
  EXPECT_THAT(readExpectation("half3 1 65504 0x1p-24").bits, ElementsAre(0x3c00, 0x7bff, 1));
  EXPECT_THAT(readExpectation("half2 -inf nan").bits, ElementsAre(0xfc00, 0x7e00));
  EXPECT_THAT(readExpectation("bfloat 3.140625").bits, ElementsAre(0x4049));
  EXPECT_THAT(readExpectation("char2 -128 127").bits, ElementsAre(0x80, 0x7f));
  EXPECT_THAT(readExpectation("ulong 18446744073709551615").bits, ElementsAre(~uint64_t(0)));
  EXPECT_EQ(readExpectation("float3x2 1 2 3 4 5 6").type.columns, 3u);
}

TEST(LanguageRow, AValueThatTheTypeDoesNotHoldIsAnErrorOfTheTable) {
  EXPECT_ANY_THROW(readExpectation("half 65520"));
  EXPECT_ANY_THROW(readExpectation("bfloat 1.001"));
  EXPECT_ANY_THROW(readExpectation("uchar 256"));
  EXPECT_ANY_THROW(readExpectation("uint -1"));
  EXPECT_ANY_THROW(readExpectation("int2 1"));
  EXPECT_ANY_THROW(readExpectation("double 1"));
}

TEST(LanguageRow, ATableNamesTheLineThatIsAtFault) {
  EXPECT_EQ(refusalOf("2.1 a.b: 1 + 1 -> int 2\n"), "");
  EXPECT_THAT(refusalOf("2.1 a: 1 -> int 1\n2.1 a: 2 -> int 2\n"), HasSubstr(".rows:2: the name"));
  EXPECT_THAT(refusalOf("2.1 a: 1\n"), HasSubstr(".rows:1: neither"));
  EXPECT_THAT(refusalOf("2.1 a: [~x~y~] [~x~y~]\n: [~x~y~]\n2.1 b: [~x~y~]\n"), HasSubstr("more than one"));
}

TEST(LanguageRow, TheWrongTextAndTheRightOneStandAtOneLine) {
  EXPECT_EQ(chosen("{ [~int~thread int~] *p; }", true), "{ int *p; }");
  EXPECT_EQ(chosen("{ [~int~thread int~] *p; }", false), "{ thread int *p; }");
  Row row{"4", "t.pointer", {"struct S {};", "[~virtual~~]"}, "{}", "", "t.rows:1", true};
  const Program program = makeProgram({&row}, true, false);
  ASSERT_THAT(program.markLine, ElementsAre(7u));
  EXPECT_EQ(program.rowOfLine[6], 0);
}

} // namespace assay::language
