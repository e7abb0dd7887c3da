// What a test binds to a kernel, and in which state a run finds it.
#include "emulator/testing/testing.h"
#include "tests/testing/failures.h"

namespace assay::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char *kSource = R"(#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
kernel void roles(device const int *in [[buffer(0)]], device int *out [[buffer(1)]],
                  device int *both [[buffer(2)]], device atomic_int *sum [[buffer(3)]],
                  constant int &by [[buffer(4)]], uint i [[thread_position_in_grid]]) {
  out[i] = in[i] * by;
  both[i] += out[i];
  atomic_fetch_add_explicit(sum, both[i], memory_order_relaxed);
}
kernel void transpose(tensor<device int, dextents<int, 2>> a [[buffer(0)]],
                      tensor<device int, dextents<int, 2>> b [[buffer(1)]],
                      uint2 at [[thread_position_in_grid]]) {
  b[at.y, at.x] = a[at.x, at.y];
}
struct In { int2 v [[attribute(3)]]; };
kernel void fetch(In in [[stage_in]], device int *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  out[i] = in.v.x * 10 + in.v.y;
}
)";

std::string said(const Result<SharedRecording> &result) {
  return result ? "it ran" : renderDiagnostics(result.error().diagnostics);
}

} // namespace

TEST(KernelSetup, EachRunFindsWhatTheRolesSay) {
  Kernel kernel = Kernel::fromSource(kSource, "roles");
  kernel.input(0, std::vector<int>{1, 2, 3}).output<int>(1, 4).inout(2, std::vector<int>{10, 20, 30});
  kernel.accumulator<int>(3, 1).bytes(4, 5);
  for (int n = 0; n < 2; ++n) {
    const LaneRun run = kernel.runThreads({3}, {3});
    EXPECT_THAT(run.output<int>(1), ElementsAre(5, 10, 15, int(0xa5a5a5a5)));
    EXPECT_THAT(run.output<int>(2), ElementsAre(15, 30, 45));
    EXPECT_THAT(run.output<int>(3), ElementsAre(90));
  }
}

TEST(KernelSetup, ATensorIsWhatIsBoundAtItsIndex) {
  Kernel kernel = Kernel::fromSource(kSource, "transpose");
  kernel.input(0, std::vector<int>{1, 2, 3, 4, 5, 6}).output<int>(1, 6);
  kernel.tensor(0, {ScalarType::Int, {3, 2}}).tensor(1, {ScalarType::Int, {2, 3}});
  EXPECT_THAT(kernel.runThreads({3, 2}, {3, 2}).output<int>(1), ElementsAre(1, 4, 2, 5, 3, 6));
  kernel.tensor(0, {ScalarType::Int, {4, 2}});
  EXPECT_THAT(said(kernel.tryRun(DispatchSize::threads({3, 2}, {3, 2}))), HasSubstr("[tensor-descriptor]"));
  kernel.tensor(0, {ScalarType::Int, {3, 2}}).tensor(7, {ScalarType::Int, {1}});
  EXPECT_THAT(said(kernel.tryRun(DispatchSize::threads({3, 2}, {3, 2}))),
              HasSubstr("a tensor at index 7 has no elements there [missing-binding]"));
}

TEST(KernelSetup, AttributesComeFromBuffersOfTheTest) {
  Kernel kernel = Kernel::fromSource(kSource, "fetch");
  kernel.input(5, std::vector<int8_t>{1, 2, 0, 0, 3, -4, 0, 0, 5, 6, 0, 0}).output<int>(1, 3);
  EXPECT_THAT(said(kernel.tryRun(DispatchSize::threads({3}, {3}))), HasSubstr("[stage-input]"));
  StageInputDescriptor input;
  input.attributes[3] = {AttributeFormat::Char2, 0, 5};
  input.layouts[5] = {4, StepFunction::ThreadPositionInGridX};
  kernel.stageInput(input);
  EXPECT_THAT(kernel.runThreads({3}, {3}).output<int>(1), ElementsAre(12, 26, 56));
  kernel.stageInRegion({{1, 0, 0}, {2, 1, 1}});
  EXPECT_THAT(kernel.runThreads({3}, {3}).output<int>(1), ElementsAre(26, 56, 0));
}

} // namespace assay::testing
