// Which declarations and definitions of two sources agree.
#include "linked_sources.h"

#include <gmock/gmock.h>

namespace assay::frontend {
namespace {

using testing::HasSubstr;

// A declaration with what it needs, and the same as a definition in the other source.
std::string disagreement(const std::string &declares, const std::string &use, const std::string &defines) {
  return refusal({declares + " kernel void k(device float *o, constant int &i) { " + use + "; }", defines});
}

TEST(LinkSymbols, AnAliasIsItsType) {
  EXPECT_EQ(
      disagreement("using F = float; F f(device F *);", "f(o)", "float f(device float *p) { return *p; }"),
      "");
}

TEST(LinkSymbols, AStructureAgreesByItsMembers) {
  const std::string use = "S s; f(s)";
  EXPECT_EQ(disagreement("struct S { int a; float b; }; void f(S);", use,
                         "struct S { int a; float b; }; void f(S s) {}"),
            "");
  for (const char *other :
       {"float a; float b;", "float b; int a;", "int a; float b; int c;", "int a; float c;"})
    EXPECT_THAT(disagreement("struct S { int a; float b; }; void f(S);", use,
                             std::string("struct S { ") + other + " }; void f(S s) {}"),
                HasSubstr("its 'S' has other members where it is defined [symbol-type]"))
        << other;
}

TEST(LinkSymbols, AStructureIsSeenThroughPointersMembersAndBases) {
  const std::string one = "struct T { int a; }; ", two = "struct T { int a, b; }; ";
  const std::string rest[] = {"void f(device T *)", "struct S { T t[2]; }; void f(thread S &)",
                              "struct S : T {}; void f(thread S &)"};
  const char *uses[] = {"f((device T *)o)", "S s; f(s)", "S s; f(s)"};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(disagreement(one + rest[i] + ";", uses[i], one + rest[i] + " {}"), "") << i;
    EXPECT_THAT(disagreement(one + rest[i] + ";", uses[i], two + rest[i] + " {}"), HasSubstr("[symbol-type]"))
        << i;
  }
}

TEST(LinkSymbols, AStructureThatIsOnlyDeclaredAgreesWithAny) {
  EXPECT_EQ(disagreement("struct S; void f(device S *);", "f((device S *)o)",
                         "struct S { int a; }; void f(device S *s) {}"),
            "");
}

TEST(LinkSymbols, AStructureMayPointToItself) {
  const std::string list = "struct L { device L *next; int a; }; ";
  EXPECT_EQ(disagreement(list + "int f(device L *);", "*o = f((device L *)o)",
                         list + "int f(device L *l) { return l->next->a; }"),
            "");
}

TEST(LinkSymbols, AnEnumerationAgreesByItsNumbers) {
  EXPECT_THAT(disagreement("enum class E : int { a }; int f(E);", "*o = f(E::a)",
                           "enum class E : char { a }; int f(E e) { return 1; }"),
              HasSubstr("its 'E' has other members"));
}

TEST(LinkSymbols, AnArrayMayBeDeclaredWithoutItsLength) {
  EXPECT_EQ(disagreement("extern constant float t[];", "*o = t[i]",
                         "extern constant float t[3]; constant float t[3] = {1, 2, 3};"),
            "");
  EXPECT_THAT(
      disagreement("extern constant float t[2];", "*o = t[i]", "extern constant float t[3] = {1, 2, 3};"),
      HasSubstr("'constant float[2] t' is declared here, and defined as 'constant float[3] t'"));
  EXPECT_THAT(
      disagreement("extern constant int t[];", "*o = t[i]", "extern constant float t[3] = {1, 2, 3};"),
      HasSubstr("[symbol-type]"));
}

TEST(LinkSymbols, AnInlineDefinitionServesADeclaration) {
  EXPECT_EQ(disagreement("float f(float);", "*o = f(1)",
                         "inline float f(float x) { return x; } float g() { return f(2); }"),
            "");
}

} // namespace
} // namespace assay::frontend
