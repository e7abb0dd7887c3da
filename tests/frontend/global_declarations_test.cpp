#include "frontend/global_declarations.h"

#include <gmock/gmock.h>

using namespace assay::frontend;

namespace {

constexpr size_t kNone = size_t(-1);

// The declaration's text up to the first [[, with what it says of itself; "none" if it is none.
std::string found(const std::string &text) {
  const std::vector<RawToken> tokens = lexRaw(text);
  std::vector<size_t> openers(tokens.size(), kNone), open;
  size_t attribute = kNone;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{"))
      open.push_back(i);
    if (tokens[i].is("[") && tokens[i + 1].is("["))
      attribute = i;
    if ((tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) && !open.empty()) {
      openers[i] = open.back();
      open.pop_back();
    }
  }
  const auto global =
      globalDeclaration(tokens, openers, attribute, [](std::string_view word) { return word == "constant"; });
  if (!global)
    return "none";
  const size_t from = tokens[global->begin].offset;
  return text.substr(from, tokens[attribute].offset - from) + (global->isExtern ? "extern" : "") +
         (global->isConst ? "const" : "");
}

TEST(GlobalDeclarations, BeginAfterWhatStandsBeforeThem) {
  EXPECT_EQ(found("uint2 gid [[x]];"), "uint2 gid ");
  EXPECT_EQ(found("int f() { return 1; } uint2 gid [[x]];"), "uint2 gid ");
  EXPECT_EQ(found("#define A {\nuint2 gid [[x]];"), "uint2 gid ");
  EXPECT_EQ(found("struct S { int a[2]; }; array<sampler, 4> constant s [[x]];"),
            "array<sampler, 4> constant s const");
  EXPECT_EQ(found("extern const uint g [[x]];"), "extern const uint g externconst");
}

TEST(GlobalDeclarations, StandInNamespacesOnly) {
  EXPECT_EQ(found("namespace a::b { namespace { uint g [[x]];"), "uint g ");
  EXPECT_EQ(found("extern \"C\" { uint g [[x]];"), "uint g ");
  EXPECT_EQ(found("struct S { uint g [[x]];"), "none");
  EXPECT_EQ(found("void f() { uint g [[x]];"), "none");
  EXPECT_EQ(found("void f(uint g [[x]]"), "none");
  EXPECT_EQ(found("namespace n { void f() { } struct S { uint g [[x]];"), "none");
}

TEST(GlobalDeclarations, AreNoTypesAndNotStatic) {
  EXPECT_EQ(found("static uint g [[x]];"), "none");
  EXPECT_EQ(found("typedef uint g [[x]];"), "none");
  EXPECT_EQ(found("using g [[x]] = uint;"), "none");
  EXPECT_EQ(found("[[x]] uint g;"), "none");
}

} // namespace
