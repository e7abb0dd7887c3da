// Which macros stand for an address space, and what a source view then makes of their uses.
#include "frontend/compile.h"
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

// What the preprocessor defines counts: not another branch of an #if, and not the order of the text.
TEST(SpaceAliases, AreThoseThatTheCompilationDefines) {
  SourceRequest request;
  request.path = "k.metal";
  request.defines = {{"SHARED", "threadgroup"}};
  request.text =
      "#if defined(__CUDACC__)\n#define LOCAL __shared__\n#else\n#define LOCAL threadgroup\n#endif\n"
      "kernel void k(device int *o) { LOCAL int a[4]; SHARED int b[2]; a[1] = b[0] = 1; o[0] = a[1]; }\n";
  const auto module = compile(request);
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  EXPECT_THAT(module->warnings, IsEmpty());

  // A redefinition: the view does not know which one is meant, and the macro's uses are expanded.
  request.text = "#define LOCAL device\n" + *request.text;
  const auto twice = compile(request);
  ASSERT_TRUE(twice) << renderDiagnostics(twice.error().diagnostics);
  ASSERT_EQ(twice->warnings.size(), 2u); // and a note
  EXPECT_EQ(twice->warnings[0].where.line, 5u);
}

} // namespace
