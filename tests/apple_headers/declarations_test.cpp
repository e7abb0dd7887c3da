#include "declarations.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace assay::apple_headers {
namespace {

using testing::ElementsAre;

std::vector<std::string> textsOf(const std::vector<Function> &functions) {
  std::vector<std::string> texts;
  for (const Function &function : functions)
    texts.push_back(function.text());
  return texts;
}

TEST(Declarations, FunctionsHaveTheirNamespaceTypesAndName) {
  const Declarations read =
      readDeclarations("#pragma METAL something : other\n"
                       "namespace metal {\n"
                       "METAL_FUNC float twice(float x) { return 2 * (x); }\n"
                       "inline namespace fast { static METAL_FUNC int2 f(); }\n"
                       "namespace deep\n{\n"
                       "METAL_FUNC half g(half x METAL_SOME, thread half &y = \")\") {}\n"
                       "}\n"
                       "int notOne(int);\n"
                       "METAL_FUNC bool operator<(mine a, mine b) { return true; }\n"
                       "}\n"
                       "METAL_FUNC constexpr uint outside(ushort) { return {1}; }\n");
  EXPECT_THAT(textsOf(read.functions),
              ElementsAre("float metal::twice(float)", "int2 metal::fast::f()",
                          "half metal::deep::g(half, thread half &)", "uint ::outside(ushort)"));
  EXPECT_FALSE(read.functions[2].parameters[0].hasDefault);
  EXPECT_TRUE(read.functions[2].parameters[1].hasDefault);
}

TEST(Declarations, TemplatesKeepTheirHead) {
  const Declarations read =
      readDeclarations("template <typename T, typename E = typename only<(sizeof(T) > 2)>::type>\n"
                       "METAL_FUNC vec<T, 4> make(vec<T, 2> a, T b) { }\n");
  ASSERT_THAT(textsOf(read.functions), ElementsAre("vec < T , 4 > ::make(vec < T , 2 >, T)"));
  EXPECT_EQ(read.functions[0].head,
            "template < typename T , typename E = typename only < ( sizeof ( T ) > 2 ) > :: type >");
}

TEST(Declarations, ParametersThatWantAConstantAreKnown) {
  const Declarations read = readDeclarations(
      "METAL_FUNC void f(int flags, int scope = int(1)) METAL_CONST_ARG(scope) METAL_OTHER(flags) { }\n");
  ASSERT_THAT(textsOf(read.functions), ElementsAre("void ::f(int, int)"));
  EXPECT_FALSE(read.functions[0].parameters[0].isConstant);
  EXPECT_TRUE(read.functions[0].parameters[1].isConstant);
}

TEST(Declarations, ClassesHaveMembersThatAreNotPrivate) {
  const Declarations read = readDeclarations("template <typename T, access a>\n"
                                             "struct _box<T, a, only<is(a, access::read)>> : base<T> {\n"
                                             "  METAL_FUNC _box() thread : t(nothing()) {}\n"
                                             "  METAL_FUNC T read(uint i) const thread { return t[i]; }\n"
                                             "  METAL_FUNC T read(uint i) const device { return t[i]; }\n"
                                             "private:\n"
                                             "  METAL_FUNC T hidden() const thread { return t[0]; }\n"
                                             "  T t;\n"
                                             "};\n"
                                             "struct other;\n");
  ASSERT_EQ(read.records.size(), 1u);
  EXPECT_EQ(read.records[0].name, "_box");
  EXPECT_EQ(read.records[0].arguments, "T , a , only < is ( a , access :: read ) >");
  EXPECT_THAT(textsOf(read.records[0].members), ElementsAre(" ::_box()", "T ::read(uint)", "T ::read(uint)"));
  EXPECT_EQ(read.records[0].members[0].qualifiers, "thread");
  EXPECT_EQ(read.records[0].members[1].qualifiers, "const thread");
  EXPECT_TRUE(read.functions.empty());
}

TEST(Declarations, TextThatEndsTooEarlyIsAnError) {
  EXPECT_THROW(readDeclarations("namespace metal { METAL_FUNC int f(int a) { return a; }"),
               std::runtime_error);
  EXPECT_THROW(readDeclarations("METAL_FUNC int f(int a"), std::runtime_error);
  EXPECT_THROW(readDeclarations("int a; }"), std::runtime_error);
}

} // namespace
} // namespace assay::apple_headers
