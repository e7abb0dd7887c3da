// Metal's text after the preprocessor.
#include "frontend/preprocess.h"

#include <gmock/gmock.h>

namespace assay::frontend {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string textOf(const std::string &source, PreprocessOptions options = {.lineMarkers = false},
                   SourceRequest request = {}) {
  request.path = "k.metal";
  request.text = source;
  const Result<Preprocessed> done = preprocess(request, options);
  if (!done)
    return renderDiagnostics(done.error().diagnostics);
  return done->text.substr(done->text.find_first_not_of('\n')); // Clang begins with an empty line
}

} // namespace

TEST(Preprocess, KeepsMetalsWordsAndExpandsTheProgramsMacros) {
  EXPECT_EQ(textOf("#define N 4\nkernel void k(device half4 *x [[buffer(0)]]) { threadgroup int y[N]; }\n"),
            "kernel void k(device half4 *x [[buffer(0)]]) { threadgroup int y[4]; }\n");
}

TEST(Preprocess, KeepsTheIncludesOfMetalsLibrary) {
  const std::string text = textOf("#include <metal_stdlib>\nconstant float pi = M_PI_F;\n#if CHAR_BIT == "
                                  "8\nint most = INT_MAX;\n#endif\n");
  EXPECT_THAT(text, HasSubstr("#include <metal_stdlib>"));
  EXPECT_THAT(text, HasSubstr("constant float pi = 3.14"));
  EXPECT_THAT(text, HasSubstr("int most = 2147483647;"));
  EXPECT_THAT(text, Not(HasSubstr("namespace")));
}

TEST(Preprocess, KnowsThePredefinedMacros) {
  const std::string source = "#ifdef __METAL__\nint metal = __METAL_VERSION__;\n#endif\n";
  EXPECT_EQ(textOf(source), "int metal = 320;\n");
  SourceRequest request;
  request.language = LanguageVersion::Metal3_1;
  EXPECT_EQ(textOf(source, {.lineMarkers = false}, request), "int metal = 310;\n");
}

TEST(Preprocess, KeepsCommentsIfItIsTold) {
  const std::string source = "#define A /* inside */ 1\nint a = A; // after\n";
  EXPECT_EQ(textOf(source), "int a = 1;\n");
  EXPECT_EQ(textOf(source, {.lineMarkers = false, .comments = true}), "int a = 1; // after\n");
  EXPECT_THAT(textOf(source, {.lineMarkers = false, .macroComments = true}), HasSubstr("/* inside */"));
}

TEST(Preprocess, ReportsItsErrors) {
  EXPECT_THAT(textOf("\n#error no\n"), HasSubstr("k.metal:2:2: error: no"));
}

} // namespace assay::frontend
