// The attributes that say how many threads a threadgroup may have: what is read, and what is refused.
#include "frontend/thread_limits.h"

#include "frontend/compile.h"

#include <gmock/gmock.h>

namespace assay::frontend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<CompiledModule> compiled(const std::string &attributes) {
  SourceRequest request;
  request.path = "k.metal";
  request.text = attributes + "\nkernel void k(device int *o [[buffer(0)]]) { *o = 1; }\n";
  return compile(request);
}

KernelInfo kernelOf(const std::string &attributes) {
  const auto result = compiled(attributes);
  EXPECT_TRUE(result) << (result ? "" : renderDiagnostics(result.error().diagnostics));
  return result ? result->info.kernels.at(0) : KernelInfo();
}

std::string refusal(const std::string &attributes) {
  const auto result = compiled(attributes);
  return result ? "accepted" : renderDiagnostics(result.error().diagnostics);
}

} // namespace

TEST(ThreadLimits, AreThoseOfTheAttributes) {
  EXPECT_EQ(kernelOf("").maxTotalThreads, 0u);
  EXPECT_TRUE(kernelOf("").requiredThreads.empty());
  EXPECT_EQ(kernelOf("[[max_total_threads_per_threadgroup(32 * 4)]]").maxTotalThreads, 128u);
  EXPECT_THAT(kernelOf("[[required_threads_per_threadgroup(8, 4, 2)]]").requiredThreads,
              ElementsAre(8, 4, 2));
  EXPECT_THAT(kernelOf("[[required_threads_per_threadgroup(64)]]").requiredThreads, ElementsAre(64, 1, 1));
}

TEST(ThreadLimits, OutsideOfTheirRangeAreErrors) {
  EXPECT_THAT(refusal("[[max_total_threads_per_threadgroup(0)]]"),
              HasSubstr("max_total_threads_per_threadgroup is 0, must be 1 to 1024"));
  EXPECT_THAT(refusal("[[max_total_threads_per_threadgroup(1025)]]"),
              HasSubstr("is 1025, must be 1 to 1024"));
  EXPECT_THAT(refusal("[[required_threads_per_threadgroup(8, -1)]]"),
              HasSubstr("required_threads_per_threadgroup is -1 along y, must be 1 to 1024"));
  EXPECT_THAT(
      refusal("[[required_threads_per_threadgroup(64, 32)]]"),
      HasSubstr("required_threads_per_threadgroup asks for 2048 threads, a threadgroup has at most 1024"));
  EXPECT_THAT(refusal("[[max_total_threads_per_threadgroup(32)]] "
                      "[[required_threads_per_threadgroup(64)]]"),
              HasSubstr("asks for 64 threads, a threadgroup has at most 32"));
}

} // namespace assay::frontend
