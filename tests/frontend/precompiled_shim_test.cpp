// A compilation from the precompiled shim beside one that parses the shim:
// the same, to the last byte of its code.
#include "precompiled_shelf.h"

#include "support/process/sanitizers.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

using namespace assay;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

using frontend::Shelf;

frontend::SourceRequest requestFor(const std::string &text) {
  frontend::SourceRequest request;
  request.path = "test.metal";
  request.text = text;
  return request;
}

// Compiles with either form of the shim and compares what comes out.
void expectTheSame(const frontend::SourceRequest &request, Shelf &shelf) {
  const auto parsed = frontend::compileParsingTheShim(request);
  const auto precompiled = frontend::compile(request, &shelf);
  ASSERT_EQ(bool(parsed), bool(precompiled)) << request.path;
  if (!parsed) {
    EXPECT_EQ(renderDiagnostics(parsed.error().diagnostics),
              renderDiagnostics(precompiled.error().diagnostics));
    return;
  }
  EXPECT_TRUE(parsed->bitcode == precompiled->bitcode) << request.path << request.text.value_or("");
  EXPECT_EQ(renderDiagnostics(parsed->warnings), renderDiagnostics(precompiled->warnings));
}

std::vector<fs::path> kernelFiles() {
  std::vector<fs::path> files;
  for (const auto &entry : fs::recursive_directory_iterator(ASSAY_KERNELS_DIR))
    if (entry.path().extension() == ".metal")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Clang compiles all of them in release. A sanitizer sees nothing of Clang, and a few files take each path of
// our own code.
#ifdef ASSAY_ASAN
constexpr size_t kEvery = 6;
#else
constexpr size_t kEvery = 1;
#endif

TEST(PrecompiledShim, ChangesNoByteOfAKernelsCode) {
  Shelf shelf;
  const std::vector<fs::path> files = kernelFiles();
  ASSERT_GT(files.size(), 20u);
  for (size_t at = 0; at < files.size(); at += kEvery) {
    frontend::SourceRequest request;
    request.path = files[at];
    request.includePaths = {ASSAY_KERNELS_DIR};
    request.defines = {{"__ASSAY_TEST_KERNELS", "1"}}; // no other test of the process has made the same
    expectTheSame(request, shelf);
  }
  EXPECT_FALSE(shelf.kept.empty()) << "nothing was precompiled";
}

TEST(PrecompiledShim, IsMadeForEachSetOfOptionsThatTheShimDependsOn) {
  Shelf shelf;
  frontend::SourceRequest request =
      requestFor("#include <metal_stdlib>\nusing namespace metal;\n"
                 "#pragma METAL fp math_mode(safe)\n"
                 "kernel void k(device float4 *x, uint i [[thread_position_in_grid]]) {\n"
                 "  x[i] = x[i] * x[i + 1] + sqrt(x[i]) * N; }\n");
  // Names that begin with two underscores are taken for the shim's:
  // this one keeps other tests of the process apart.
  const std::pair<std::string, std::string> own = {"__ASSAY_TEST_OPTIONS", "1"};
  request.defines = {own, {"N", "2"}};
  expectTheSame(request, shelf);
  EXPECT_EQ(shelf.kept.size(), 1u);
  request.defines = {own, {"N", "3"}};
  request.kernels = {"k"};
  expectTheSame(request, shelf);
  EXPECT_EQ(shelf.kept.size(), 1u) << "the program's own macro is not the shim's business";
  request.contractStatements = true;
  expectTheSame(request, shelf);
  EXPECT_EQ(shelf.kept.size(), 2u);
  request.language = LanguageVersion::Metal3_1;
  expectTheSame(request, shelf);
  EXPECT_EQ(shelf.kept.size(), 3u);
  // With debug information the types that nobody uses are described or not; the code is compared by the tests
  // that run it.
  request.debug = true;
  ASSERT_TRUE(frontend::compile(request, &shelf));
  EXPECT_EQ(shelf.kept.size(), 4u);
}

TEST(PrecompiledShim, HidesWhatTheProgramForgotToInclude) {
  Shelf shelf;
  const frontend::SourceRequest request =
      requestFor("kernel void k(device uint *x) { x[0] = metal::simd_sum(x[1]); }\n");
  expectTheSame(request, shelf);
  const auto refused = frontend::compile(request, &shelf);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().diagnostics.front().message, HasSubstr("simd_sum"));
}

TEST(PrecompiledShim, IsNotTakenWhereTheProgramTellsTheShimSomething) {
  Shelf shelf;
  for (const char *define : {"", "#define ASSAY_ASSERTIONS\n"})
    expectTheSame(requestFor(std::string(define) + "#include <metal_stdlib>\n#include <metal_assert>\n"
                                                   "kernel void k(device int *x) { assert(x[0] == 1); }\n"),
                  shelf);
  frontend::SourceRequest request = requestFor("#include <metal_stdlib>\n#include <metal_assert>\n"
                                               "kernel void k(device int *x) { assert(x[0] == 1); }\n");
  request.defines = {{"ASSAY_ASSERTIONS", "1"}};
  expectTheSame(request, shelf);
}

TEST(PrecompiledShim, PutsMistakesAtTheSamePlaces) {
  Shelf shelf;
  for (const char *body : {"x[0] = float3(1, 2).x;", "half4 h = x;", "x[0] = metal::sqrt(\"a\");",
                           "goto end; end:;", "metal::float2x2 m(1); x[0] = m * m;", "float4 v; v.xyx = 1;"})
    expectTheSame(requestFor("#include <metal_stdlib>\nkernel void k(device float *x) {\n  " +
                             std::string(body) + "\n}\n"),
                  shelf);
}

} // namespace
