// Which macros stand for an address space, and what a source view then makes of their uses.
#include "frontend/source_view.h"
#include "frontend/space_aliases.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

namespace {

SpaceAliases aliasesOf(std::initializer_list<std::pair<const char *, std::vector<std::string>>> macros) {
  SpaceAliases aliases;
  for (const auto &[name, body] : macros)
    addSpaceAlias(aliases, name, body);
  return aliases;
}

TEST(SpaceAliases, AreMacrosOfOneSpaceAndQualifiers) {
  EXPECT_THAT(aliasesOf({{"LOCAL", {"threadgroup"}},
                         {"TABLE", {"const", "constant"}},
                         {"SHARED", {"LOCAL"}},
                         {"POLLED", {"volatile", "device"}},
                         {"EMPTY", {}},
                         {"CONST", {"const"}},
                         {"FUNCTION", {"static", "device"}},
                         {"TWO", {"device", "constant"}},
                         {"OTHER", {"float"}}}),
              UnorderedElementsAre(Pair("LOCAL", "threadgroup"), Pair("TABLE", "constant"),
                                   Pair("SHARED", "threadgroup"), Pair("POLLED", "device")));
}

TEST(SpaceAliases, AMacroOfTwoMeaningsIsNone) {
  const SpaceAliases aliases =
      aliasesOf({{"SPACE", {"device"}}, {"SPACE", {"threadgroup"}}, {"A", {"SPACE"}}});
  EXPECT_THAT(aliases, UnorderedElementsAre(Pair("SPACE", "")));
  EXPECT_EQ(spaceWord("SPACE", aliases), "SPACE");
}

TEST(SpaceAliases, TheViewReadsThemAsTheWord) {
  const SpaceAliases aliases{{"LOCAL", "threadgroup"}, {"TABLE", "constant"}, {"GLOBAL", "device"}};
  const auto view = [&](const char *text) { return SourceView(text, aliases).text(); };
  EXPECT_EQ(view("void f() { LOCAL int a[4]; LOCAL int *p; }"),
            "void f() { static LOCAL int a[4]; LOCAL int *p; }");
  EXPECT_EQ(view("void f() { TABLE int a = 1; }"), "void f() { static TABLE int a = 1; }");
  EXPECT_EQ(view("#define LOCAL threadgroup\n"), "#define LOCAL threadgroup\n");
  EXPECT_THAT(view("struct S { int f() GLOBAL const; };"), HasSubstr("assay.method.device"));
  EXPECT_EQ(SourceView("void f() { LOCAL int a[4]; }").text(), "void f() { LOCAL int a[4]; }");
}

} // namespace
