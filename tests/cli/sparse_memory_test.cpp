// A kernel that touches 1 MB of a buffer of 4 GB needs the memory of what it touches, with every engine, with
// checks, and in every command that runs kernels.
#include "program.h"

namespace assay::cli_test {
namespace {

class SparseMemory : public Program {
protected:
  void SetUp() override {
    if (const std::string why = whyNotMeasured(); !why.empty())
      GTEST_SKIP() << why;
    write("touch.metal", R"(#include <metal_stdlib>
using namespace metal;

kernel void touch(device float *big [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  big[536870912 + i] += float(i);
}
)");
  }

  static std::string call(const std::string &spec) {
    return "touch.metal --kernel touch --grid 262144 --threads 256 --buffer 0=" + spec + ":f32[1073741824]";
  }
};

TEST_F(SparseMemory, CostsWhatIsTouchedOnEveryEngine) {
  std::string digest;
  for (const char *engine : {"fiber", "vector", "both"}) {
    const Measured run = measure("run " + call("zeros") + " --json --engine " + engine);
    ASSERT_EQ(run.exitCode, 0) << run.err;
    EXPECT_LT(run.kilobytes, kMostKilobytes) << engine;
    const auto json = nlohmann::json::parse(run.out);
    const std::string found = json["buffers"][0]["digest"];
    EXPECT_EQ(found, digest.empty() ? found : digest) << engine;
    digest = found;
  }
}

TEST_F(SparseMemory, CostsWhatIsTouchedUnderChecks) {
  const Measured zeros = measure("run " + call("zeros") + " --check");
  EXPECT_EQ(zeros.exitCode, 0) << zeros.err;
  EXPECT_LT(zeros.kilobytes, kMostKilobytes);
  // Poison is memory that nobody has written, and the checker knows for each byte.
  const Measured poison = measure("run " + call("poison") + " --check");
  EXPECT_EQ(poison.exitCode, 3) << poison.err;
  EXPECT_THAT(poison.out + poison.err, testing::HasSubstr("uninitialised-device"));
  EXPECT_LT(poison.kilobytes, kMostKilobytes);
}

TEST_F(SparseMemory, CostsWhatIsTouchedIfItIsPoison) {
  for (const char *engine : {"fiber", "both"}) {
    const Measured run = measure("run " + call("poison") + " --engine " + engine);
    EXPECT_EQ(run.exitCode, 0) << run.err;
    EXPECT_LT(run.kilobytes, kMostKilobytes) << engine;
  }
}

TEST_F(SparseMemory, CostsWhatIsTouchedInEveryWayOfVerify) {
  const Measured run = measure("verify " + call("zeros") + " --schedules 2");
  EXPECT_EQ(run.exitCode, 0) << run.out << run.err;
  EXPECT_LT(run.kilobytes, kMostKilobytes);
}

} // namespace
} // namespace assay::cli_test
