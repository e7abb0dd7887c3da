// Attributes that macros are given do what they do where they are written out, or are refused.
#include "frontend/compile.h"
#include "frontend/given_attributes.h"

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

Result<CompiledModule> compiled(const std::string &text, const std::string &includePath = {}) {
  SourceRequest request;
  if (!includePath.empty())
    request.includePaths = {includePath};
  request.path = "k.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n#define ATTR(a) [[a]]\n" + text;
  return compile(request);
}

std::vector<uint32_t> indicesOf(const KernelInfo &kernel) {
  std::vector<uint32_t> indices;
  for (const ArgumentInfo &argument : kernel.arguments)
    indices.push_back(argument.kind == ArgumentKind::Builtin ? 1000 + uint32_t(*argument.builtin)
                                                             : argument.index);
  return indices;
}

TEST(GivenAttributes, DoTheSameAsWrittenOut) {
  const auto module = compiled(
      "#define ARG(type, name, attribute) type name [[attribute]]\n"
      "#define CAT(a, b) a##b\n"
      "#define FIRST 3\n"
      "struct A { device float *p ATTR(id(5)); };\n"
      "template <typename T> kernel void t(device T *x ATTR(buffer(FIRST)), constant T &y [[CAT(buf, "
      "fer)(9)]],\n"
      "  uint i ATTR(thread_position_in_grid)) { x[i] = y; }\n"
      "template [[host_name(\"t_float\")]] kernel void t<float>(device float *, constant float &, uint);\n"
      "kernel ATTR(max_total_threads_per_threadgroup(64))\n"
      "void k(ARG(constant A &, a, buffer(FIRST + 1)), ARG(texture2d<float>, t, texture(2)),\n"
      "       uint i ATTR(thread_index_in_simdgroup)) { a.p[i] = 1; }\n");
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  EXPECT_THAT(module->warnings, IsEmpty());
  const KernelInfo *t = module->info.findKernel("t_float"), *k = module->info.findKernel("k");
  ASSERT_TRUE(t && k);
  EXPECT_THAT(indicesOf(*t), ElementsAre(3, 9, 1000 + uint32_t(Builtin::ThreadPositionInGrid)));
  EXPECT_THAT(indicesOf(*k), ElementsAre(4, 2, 1000 + uint32_t(Builtin::ThreadIndexInSimdgroup)));
  EXPECT_EQ(k->maxTotalThreads, 64u);
  ASSERT_EQ(k->arguments[0].members.size(), 1u);
  EXPECT_EQ(k->arguments[0].members[0].id, 5u);
}

// Never another index without a word, where the macro cannot be expanded for the view, either: a program
// whose header counts by __COUNTER__ in each of two inclusions is left as it is.
TEST(GivenAttributes, ThatCannotBeReadAreErrors) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("assay_given_attributes_test." + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "counts.h") << "constant int NAME(counted_) = 1;\n";
  const std::string twice = "#define CAT(a, b) a##b\n#define JOIN(a, b) CAT(a, b)\n"
                            "#define NAME(a) JOIN(a, __COUNTER__)\n"
                            "#include \"counts.h\"\n#include \"counts.h\"\n";
  for (const char *text :
       {"constant int c ATTR(function_constant(1));\nkernel void k(device int *o) { o[0] = c; }\n",
        "kernel void k(device int *o, threadgroup int *t ATTR(threadgroup(1))) { o[0] = t[0]; }\n",
        "ATTR(kernel) void k(device int *o) { o[0] = 1; }\n"}) {
    const auto module = compiled(text + twice, folder.string());
    ASSERT_FALSE(module) << text;
    EXPECT_EQ(module.error().diagnostics[0].where.line, 4u) << text;
    EXPECT_TRUE(compiled(text)) << text;
  }
  const auto constant = compiled("constant int c ATTR(function_constant(1));\n" + twice, folder.string());
  EXPECT_THAT(constant.error().diagnostics[0].message,
              HasSubstr("[[function_constant]] cannot be given to a macro"));
  std::filesystem::remove_all(folder);
}

TEST(GivenAttributes, AnAttributeThatIsNotMetalsIsStillAWarning) {
  const auto module = compiled("kernel void k(device int *o ATTR(unheard_of)) { o[0] = 1; }\n");
  ASSERT_TRUE(module);
  ASSERT_EQ(module->warnings.size(), 1u);
  EXPECT_THAT(module->warnings[0].message, HasSubstr("unheard_of"));
}

TEST(GivenAttributes, TheOtherSpellingOfTheMostThreads) {
  const auto module = compiled(
      "#define N 4\n"
      "kernel void __attribute__((max_total_threads_per_threadgroup(N * N))) a(device int *p) { *p = 1; }\n"
      "kernel void b(device int *p) __attribute__((max_total_threads_per_threadgroup(N))) { *p = 1; }\n"
      "__attribute__((max_total_threads_per_threadgroup(8))) kernel void c(device int *p) { *p = 1; }\n");
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  EXPECT_EQ(module->info.findKernel("a")->maxTotalThreads, 16u);
  EXPECT_EQ(module->info.findKernel("b")->maxTotalThreads, 4u);
  EXPECT_EQ(module->info.findKernel("c")->maxTotalThreads, 8u);
}

} // namespace
