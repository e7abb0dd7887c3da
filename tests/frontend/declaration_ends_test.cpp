// Where a source may be cut: after whole declarations, and nowhere where the rest would be read in another
// way.
#include "frontend/declaration_ends.h"

#include <gmock/gmock.h>

#include <string>

using assay::frontend::declarationEnds;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

// The lines that begin at the cuts.
std::vector<std::string> linesAfter(const std::string &text) {
  std::vector<std::string> lines;
  for (const uint32_t end : declarationEnds(text))
    lines.push_back(text.substr(end, text.find('\n', end) - end));
  return lines;
}

TEST(DeclarationEnds, AreAfterDeclarationsAtProgramScope) {
  EXPECT_THAT(linesAfter("int a;\nstruct S {\n  int b;\n};\nint f() {\n  return 1;\n}\nrest\n"),
              ElementsAre("struct S {", "int f() {", "rest"));
  EXPECT_THAT(linesAfter("namespace n {\nint a;\n}\nrest\n"), ElementsAre("rest"));
  EXPECT_THAT(linesAfter("int f(int a = (1\n),\nint b);\nrest\n"), ElementsAre("rest"));
}

TEST(DeclarationEnds, AreOutsideOfConditions) {
  EXPECT_THAT(linesAfter("#if A\nint a;\n#else\nint b;\n#endif\nint c;\nrest\n"), ElementsAre("rest"));
}

TEST(DeclarationEnds, AreWhereALineEnds) {
  EXPECT_THAT(linesAfter("int a; int b;\nint c; // words\nint d; /* a\n comment */ int e;\nrest\n"),
              ElementsAre("int c; // words", "int d; /* a", "rest"));
  EXPECT_THAT(linesAfter("int a; // goes on \\\nint b;\nint c;\nrest\n"), ElementsAre("rest"));
  EXPECT_THAT(linesAfter("int a;\r\nint b;\r\n"), IsEmpty());
  EXPECT_THAT(linesAfter("int a;"), IsEmpty());
}

TEST(DeclarationEnds, EndBeforeWhatAParsedFormDoesNotKeep) {
  EXPECT_THAT(linesAfter("int a;\n#include \"mine.h\"\nint b;\nrest\n"), ElementsAre("#include \"mine.h\""));
  EXPECT_THAT(linesAfter("int a;\n#pragma METAL fp math_mode(safe)\nint b;\nrest\n"),
              ElementsAre("#pragma METAL fp math_mode(safe)"));
  EXPECT_THAT(linesAfter("#if __has_include(<x>)\n#endif\nint b;\nrest\n"), IsEmpty());
  EXPECT_THAT(linesAfter("int a;\nint b = __builtin_LINE();\n"), IsEmpty());
}

TEST(DeclarationEnds, EndBeforeAnInstantiationOfAFunction) {
  EXPECT_THAT(linesAfter("template <class T> T f(T);\ntemplate struct S<int>;\n"
                         "template [[host_name(\"f\")]] float f(float);\nint a;\nrest\n"),
              ElementsAre("template struct S<int>;", "template [[host_name(\"f\")]] float f(float);"));
}

TEST(DeclarationEnds, PassWhatConcernsOnePlace) {
  EXPECT_THAT(linesAfter("#include <metal_stdlib>\n#pragma METAL internals : enable\n#line 7 \"x\"\n"
                         "#define N 1\nint a;\nrest\n"),
              ElementsAre("rest"));
}

} // namespace
