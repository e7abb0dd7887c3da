// A test outside the project that looks into a kernel.
#include <assay/testing.h>

using namespace assay::testing;

TEST(Reverse, ExchangesLanesOverThreadgroupMemory) {
  Kernel kernel = Kernel::fromSource(R"(
#include <metal_stdlib>
#include <assay/probe>
kernel void reverse(device half *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  threadgroup half shared[32];
  shared[31 - i] = x[i];
  metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
  ASSAY_PROBE("mine", shared[i]);
  x[i] = shared[i];
}
)",
                                     "reverse");
  std::vector<Half> there, back;
  for (int i = 0; i < 32; ++i) {
    there.push_back(Half(i + 0.5));
    back.push_back(Half(31.5 - i));
  }
  const LaneRun run = kernel.inout(0, there).run(1, 32);
  EXPECT_THAT(run.output<Half>(0), BitsEq(back));
  EXPECT_THAT(run.barrier(0).threadgroup<Half>("shared"), BitsEq(back));
  EXPECT_THAT(run.probe<Half>("mine"), Lane(3, BitsEq(Half(28.5))));
}
