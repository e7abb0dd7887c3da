// Macros that hide grammar of Metal: what is expanded for the source view, and what stays as it is written.
#include "frontend/compile.h"
#include "frontend/macro_expansions.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace assay;
using namespace assay::frontend;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

SourceRequest requestOf(const std::string &text) {
  SourceRequest request;
  request.path = "k.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + text;
  return request;
}

// Each replaced text, an arrow, and what replaces it.
std::vector<std::string> expanded(const std::string &text) {
  const SourceRequest request = requestOf(text);
  std::vector<std::string> list;
  for (const auto &[path, edits] : macroExpansions(request)) {
    EXPECT_EQ(path, "k.metal");
    for (const Edit &edit : edits)
      list.push_back(request.text->substr(edit.offset, edit.length) + " -> " + edit.text);
  }
  return list;
}

TEST(MacroExpansions, AreThoseWithWordsOfTheView) {
  EXPECT_THAT(expanded("#define SPACE device\n#define ATTR(...) [[__VA_ARGS__]]\n#define N 4\n"
                       "#define BUF(i) ATTR(buffer(i))\n#define CAT(a, b) a##b\n"
                       "kernel void k(SPACE int *o BUF(N), uint i ATTR(CAT(thread_position_, in_grid)))\n"
                       "{ o[i] = N; }\n"),
              ElementsAre("SPACE -> device", "BUF(N) -> [[buffer(4)]]",
                          "ATTR(CAT(thread_position_, in_grid)) -> [[thread_position_in_grid]]"));
}

TEST(MacroExpansions, NamesOfTheShimStay) {
  EXPECT_THAT(expanded("#define K kernel void\n#define S threadgroup float\n#define PI2 (M_PI_F * 2)\n"
                       "K k(device float *o) { S s[2]; s[1] = PI2; o[0] = s[1]; }\n"),
              ElementsAre("S -> threadgroup float"));
}

TEST(MacroExpansions, AMacroWhoseArgumentsFollowTheExpansionOfAnother) {
  EXPECT_THAT(expanded("#define A s B\n#define B(x) device x\nstruct s;\nvoid f(A(int) *);\n"),
              ElementsAre("A(int) -> s device int"));
}

TEST(MacroExpansions, APragmaInAMacroIsWrittenOut) {
  EXPECT_THAT(
      expanded("#define LOOP _Pragma(\"clang loop unroll(full)\") for\n"
               "#define BOTH _Pragma(\"unroll\") thread int x; LOOP (;;)\n"
               "#define NOTE thread int z; _Pragma(\"note \\\"a\\\\b\\\"\")\n"
               "#define ONE thread int y;\n"
               "void f() { ONE BOTH { } LOOP (;;) { } NOTE }\n"),
      ElementsAre("ONE -> thread int y;",
                  "BOTH -> _Pragma(\"unroll\") thread int x; _Pragma(\"clang loop unroll(full)\") for (;;)",
                  "NOTE -> thread int z; _Pragma(\"note \\\"a\\\\b\\\"\")"));
}

TEST(MacroExpansions, EachUseOfTheCounterIsReplaced) {
  EXPECT_THAT(expanded("#define SPACE device\n#define CAT(a, b) a##b\n#define NAME(a, n) CAT(a, n)\n"
                       "void f(SPACE int *);\nint NAME(x, __COUNTER__) = __COUNTER__;\n"),
              ElementsAre("SPACE -> device", "NAME(x, __COUNTER__) -> x0", "__COUNTER__ -> 1"));
}

class SharedHeader : public testing::Test {
protected:
  SharedHeader()
      : directory_(std::filesystem::temp_directory_path() /
                   ("assay_macro_expansions_test." + std::to_string(getpid()))) {
    std::filesystem::create_directories(directory_);
  }
  ~SharedHeader() override { std::filesystem::remove_all(directory_); }

  // The replacements in the header.
  std::vector<std::string> expandedIn(const std::string &header, const std::string &text) {
    const std::string path = (directory_ / "part.h").string();
    std::ofstream(path) << header;
    SourceRequest request = requestOf(text);
    request.includePaths = {directory_.string()};
    std::vector<std::string> list;
    auto all = macroExpansions(request);
    for (const Edit &edit : all[path])
      list.push_back(header.substr(edit.offset, edit.length) + " -> " + edit.text);
    return list;
  }

private:
  const std::filesystem::path directory_;
};

// A header that is made for each type has one view.
TEST_F(SharedHeader, IsReplacedWhereAllInclusionsExpandToTheSame) {
  EXPECT_THAT(expandedIn("void f(SPACE T *);\nvoid g(ARG(T));\nvoid h(MAYBE int *);\n",
                         "#define SPACE device\n#define ARG(T) thread T &\n#define MAYBE device\n"
                         "#define T int\n#include \"part.h\"\n#undef T\n#undef MAYBE\n"
                         "struct MAYBE;\n#define T float\n#include \"part.h\"\n"),
              ElementsAre("SPACE -> device"));
}

TEST_F(SharedHeader, WithACounterLeavesTheProgramAsItIs) {
  EXPECT_THAT(expandedIn("void f(SPACE int *);\nint NAME(x);\n",
                         "#define SPACE device\n#define CAT(a, b) a##b\n#define JOIN(a, b) CAT(a, b)\n"
                         "#define NAME(a) JOIN(a, __COUNTER__)\n#include \"part.h\"\n#include \"part.h\"\n"),
              IsEmpty());
}

// Ten thousand million tokens, of which none is made.
TEST(MacroExpansions, EndWithTheLimitsOfACompilation) {
  std::string text = "#define A0 device\n";
  for (int i = 1; i < 34; ++i)
    text +=
        "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + " A" + std::to_string(i - 1) + "\n";
  EXPECT_THAT(expanded(text + "A33\n"), IsEmpty());
}

// Programs of the forms that shared headers of Metal, OpenCL and CUDA use.
TEST(MacroExpansions, LetProgramsCompile) {
  const auto module = compile(requestOf(
      "#define FC(i) [[function_constant(i)]]\n"
      "#define CONSTEXPR_FC(T, n, i) constant constexpr T n FC(i)\n"
      "#define SPACE(s) s\n"
      "#define IN(T, n, s, i) SPACE(s) T *n [[buffer(i)]]\n"
      "#define KERN kernel\n"
      "#define ATTR(...) [[__VA_ARGS__]]\n"
      "#define SHARED(T) threadgroup T\n"
      "#define HOST(name) ATTR(host_name(#name))\n"
      "#define INST(T) template HOST(copy_##T) KERN void copy<T>(device T *, device const T *, uint);\n"
      "constant bool use FC(0);\n"
      "CONSTEXPR_FC(int, N, 1);\n"
      "float last(SHARED(float) *s) { return s[63]; }\n"
      "ATTR(max_total_threads_per_threadgroup(64))\n"
      "KERN void k(IN(float, a, device const, 3), IN(float, o, device, 1), uint i "
      "ATTR(thread_position_in_grid),\n"
      "            SHARED(float) *t ATTR(threadgroup(1))) {\n"
      "  SHARED(float) s[64];\n"
      "  SHARED(float) *p = s + i;\n"
      "  *p = a[i] + t[i];\n"
      "  o[i] = last(s) * N + (use ? 1.0f : 2.0f);\n"
      "}\n"
      "template <typename T> KERN void copy(device T *o ATTR(buffer(4)), device const T *a, uint i\n"
      "  ATTR(thread_position_in_grid)) { o[i] = a[i]; }\n"
      "INST(float) INST(half)\n"));
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  EXPECT_THAT(module->warnings, IsEmpty());
  const KernelInfo *k = module->info.findKernel("k");
  ASSERT_TRUE(k && module->info.findKernel("copy_float") && module->info.findKernel("copy_half"));
  EXPECT_EQ(k->maxTotalThreads, 64u);
  ASSERT_EQ(k->arguments.size(), 4u);
  EXPECT_EQ(k->arguments[0].index, 3u);
  EXPECT_EQ(k->arguments[1].index, 1u);
  EXPECT_EQ(k->arguments[3].index, 1u);
  EXPECT_EQ(k->arguments[3].kind, ArgumentKind::ThreadgroupMemory);
  EXPECT_EQ(module->info.findKernel("copy_half")->arguments[0].index, 4u);
  EXPECT_EQ(module->info.functionConstants.size(), 2u);
}

TEST(MacroExpansions, AMistakeIsAtItsPlace) {
  const auto module = compile(requestOf("#define BUF(i) [[buffer(i)]]\n#define SHARED(T) threadgroup T\n"
                                        "kernel void k(device float *o BUF(1)) {\n"
                                        "  SHARED(float) s[64]; SHARED(float) *p = s;\n"
                                        "  o[0] = *p + qwzx;\n}\n"));
  ASSERT_FALSE(module);
  ASSERT_EQ(module.error().diagnostics.size(), 1u) << renderDiagnostics(module.error().diagnostics);
  EXPECT_EQ(module.error().diagnostics[0].where.line, 7u);
  EXPECT_EQ(module.error().diagnostics[0].where.column, 15u);
  EXPECT_THAT(module.error().diagnostics[0].message, HasSubstr("'qwzx'"));
}

} // namespace
