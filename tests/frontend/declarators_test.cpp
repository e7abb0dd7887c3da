// What a declaration with an address space declares, by its tokens. What such declarations compute:
// tests/language/address_spaces.rows.
#include "frontend/declarators.h"

#include <gtest/gtest.h>

#include <string>

using namespace assay::frontend;

namespace {

struct Declaration {
  explicit Declaration(const char *source)
      : text(source), tokens(lexRaw(text)), closers(tokens.size(), size_t(-1)) {
    std::vector<size_t> open;
    for (size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{"))
        open.push_back(i);
      else if ((tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) && !open.empty())
        closers[open.back()] = i, open.pop_back();
  }
  bool isObject() const { return declaresObject(tokens, closers, 0); }
  // The offset of each comma before another kind of declarator.
  std::string cuts() const {
    std::string found;
    for (const DeclaratorCut &cut : mixedDeclaration(tokens, closers, 0).cuts)
      found += (cut.isObject ? " object at " : " pointer at ") + std::to_string(tokens[cut.comma].offset);
    return found;
  }

  std::string text;
  std::vector<RawToken> tokens;
  std::vector<size_t> closers;
};

TEST(Declarators, AnObjectHasNoPointerBeforeItsName) {
  for (const char *text :
       {"threadgroup float a[4];", "threadgroup float a[4], *p = a;", "threadgroup vec<int, 2> v;",
        "threadgroup decltype(x * y) z;", "constant int t[] = {1, 2};"})
    EXPECT_TRUE(Declaration(text).isObject()) << text;
  for (const char *text : {"threadgroup float *p = a, b[2];", "threadgroup float (&x)[4] = a;",
                           "threadgroup float &r = a[0];", "threadgroup int *f(int);"})
    EXPECT_FALSE(Declaration(text).isObject()) << text;
}

TEST(Declarators, ADeclarationIsCutWhereTheKindChanges) {
  EXPECT_EQ(Declaration("threadgroup float a[4], *p = a;").cuts(), " pointer at 22");
  EXPECT_EQ(Declaration("threadgroup float *p = f(a, b), c;").cuts(), " object at 30");
  EXPECT_EQ(Declaration("threadgroup vec<int, 2> v, w, *p = &v, &r = v;").cuts(), " pointer at 28");
  EXPECT_EQ(Declaration("threadgroup float a, *p = &a, b;").cuts(), " pointer at 19 object at 28");
  EXPECT_EQ(Declaration("threadgroup M(float) *p, b;").cuts(), " object at 23");
}

TEST(Declarators, ADeclarationOfOneKindIsNotCut) {
  for (const char *text :
       {"threadgroup float a[4], b;", "threadgroup float *p, *q;", "threadgroup float a[2] = {0, 0};",
        "threadgroup float *p = f<1, 2>(a), b;", "threadgroup float a", "threadgroup M(float) a, b;",
        "constant float2 a(1, 2), b(3, 4);", "threadgroup float (a), b;", "threadgroup float ARRAY(a), b;"})
    EXPECT_EQ(Declaration(text).cuts(), "") << text;
}

TEST(Declarators, AnArrayWithoutANameEndsWithItsType) {
  const auto lastIsType = [](std::string_view text, size_t space) {
    const std::vector<RawToken> tokens = lexRaw(text);
    return isType(tokens, tokens.size() - 2, space); // before the end
  };
  EXPECT_TRUE(lastIsType("(device T", 1));
  EXPECT_TRUE(lastIsType("(int a, const device struct T", 5));
  EXPECT_TRUE(lastIsType("(device unsigned int", 1));
  EXPECT_TRUE(lastIsType("(device m::T", 1));
  EXPECT_FALSE(lastIsType("(device T x", 1));
  EXPECT_FALSE(lastIsType("(T const device x", 3));
  EXPECT_FALSE(lastIsType("(device unsigned x", 1));
}

TEST(Declarators, ParametersAreInAFunctionsParentheses) {
  const auto holds = [](std::string_view text) {
    const std::vector<RawToken> tokens = lexRaw(text);
    size_t space = 0;
    while (!tokens[space].is("device"))
      ++space;
    return inParameterList(tokens, space);
  };
  for (const char *text : {"void f(device T", "void f(int a[2], vec<int, 2> b, const device T",
                           "template <> void f<0>(device T", "void (*f)(device T", "[](device T"})
    EXPECT_TRUE(holds(text)) << text;
  for (const char *text :
       {"sizeof(device T", "f(Size<int, device T", "return (device T", "= (device T", "device T"})
    EXPECT_FALSE(holds(text)) << text;
}

} // namespace
