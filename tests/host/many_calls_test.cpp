// Functions that each call the one below twice: as copies they double at each level. Above a size their calls
// are joined (lowering/joined_calls.h). The test computes by itself what comes out.
#include "every_way.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing_support::everyWay;
using testing_support::EveryWay;
using testing_support::nameOfWay;

constexpr uint32_t kThreads = 48;

// Level 0 has a loop whose length differs between lanes. The others call the one below on both sides of a
// branch, with a result that is needed after the second call. All change a variable of the kernel's and count
// in a sum of floats, which is exact.
std::string sourceOf(int levels) {
  std::string text = R"(#include <metal_stdlib>
using namespace metal;
static uint level0(uint x, thread uint &trap, thread float &sum) {
  uint y = x * 2654435761u ^ trap;
  for (uint i = 0; i < (x & 3); ++i)
    y = (y << 5 | y >> 27) + i * trap;
  trap = trap * 5 + (y & 7);
  sum += float(y & 3);
  return y ^ y >> 7;
}
)";
  for (int level = 1; level <= levels; ++level) {
    const std::string below = "level" + std::to_string(level - 1), own = std::to_string(level);
    text += "static uint level" + own + "(uint x, thread uint &trap, thread float &sum) {\n" +
            "  uint a = " + below + "(x + " + own + ", trap, sum), b = 0;\n" +
            "  if (a & 1)\n    b = " + below + "(a ^ x, trap, sum);\n" + "  else\n    b = " + below +
            "(a + trap, trap, sum) + 1;\n" + "  return a * 3 + b;\n}\n";
  }
  const auto kernel = [&](const std::string &name, const std::string &more) {
    text += "kernel void " + name + R"((device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  uint trap = i;
  float sum = 0;
  uint x = level)" +
            std::to_string(levels) + "(i, trap, sum);\n" + more + "  out[i] = x ^ trap + uint(sum);\n}\n";
  };
  kernel("alone", "");
  kernel("together", "  x += simd_shuffle_xor(x, 1);\n");
  return text;
}

struct Lane {
  uint32_t trap;
  float sum = 0;

  uint32_t level(int n, uint32_t x) {
    if (n == 0) {
      uint32_t y = x * 2654435761u ^ trap;
      for (uint32_t i = 0; i < (x & 3); ++i)
        y = (y << 5 | y >> 27) + i * trap;
      trap = trap * 5 + (y & 7);
      sum += float(y & 3);
      return y ^ y >> 7;
    }
    const uint32_t a = level(n - 1, x + uint32_t(n));
    const uint32_t b = a & 1 ? level(n - 1, a ^ x) : level(n - 1, a + trap) + 1;
    return a * 3 + b;
  }
};

std::vector<uint32_t> expected(int levels, bool together) {
  std::vector<uint32_t> values(kThreads), out(kThreads);
  std::vector<Lane> lanes;
  for (uint32_t i = 0; i < kThreads; ++i) {
    lanes.push_back({i});
    values[i] = lanes[i].level(levels, i);
  }
  for (uint32_t i = 0; i < kThreads; ++i)
    out[i] = (values[i] + (together ? values[i ^ 1] : 0)) ^ (lanes[i].trap + uint32_t(lanes[i].sum));
  return out;
}

class ManyCalls : public EveryWay {
protected:
  ManyCalls() : EveryWay("") {}
  ~ManyCalls() override { unsetenv("ASSAY_LARGE_FUNCTION"); }

  void check(int levels, const char *kernel) {
    CompileOptions options;
    options.debug = GetParam() == testing_support::Way::Debug;
    library = *device.newLibraryWithSource(sourceOf(levels), options);
    Buffer out = device.newBuffer(kThreads * 4);
    const Result<ComputePipeline> pipeline = pipelineWith({}, kernel, {});
    Bindings bindings;
    bindings.buffers = {{0, out}};
    const Result<DispatchReport> report = run(pipeline, bindings, {kThreads, 1, 1}, {kThreads, 1, 1});
    ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
    EXPECT_THAT(out.as<uint32_t>(), testing::ElementsAreArray(expected(levels, kernel[0] == 't')));
  }
};

} // namespace

// Nearly 3^9 copies, of which no lane runs more than 2^9.
TEST_P(ManyCalls, CompileInSeconds) {
  check(9, "alone");
}

// Where calls stand is not seen in what is computed.
TEST_P(ManyCalls, ComputeTheSameBelowAndAboveTheLimit) {
  for (const char *limit : {"60000", "3000", "300", "0"}) {
    setenv("ASSAY_LARGE_FUNCTION", limit, 1);
    for (const char *kernel : {"alone", "together"})
      check(4, kernel);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, ManyCalls, everyWay(), nameOfWay);

} // namespace assay
